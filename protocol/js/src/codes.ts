// What a close code asks of a client: protocol/codes.py again.

export type ComesBack = 'never' | 'later' | 'at_once'

/** 4000-4099: trying again would end the same way. 4200-4299: at once. All else: later, backing off. */
export function comesBack(code: number | null): ComesBack {
  if (code !== null && code >= 4000 && code <= 4099) return 'never'
  return code !== null && code >= 4200 && code <= 4299 ? 'at_once' : 'later'
}
