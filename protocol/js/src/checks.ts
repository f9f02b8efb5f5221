// Whether what is shown here is what the server means: protocol/checks.py again.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1
  return n
})

/** CRC-32 of the view as JSON in UTF-8, its keys sorted by code point at every level. */
export function crc(view: ReadonlyMap<string, unknown>): number {
  let sum = 0xffffffff
  for (const byte of new TextEncoder().encode(sorted(Object.fromEntries(view)))) {
    sum = (sum >>> 8) ^ TABLE[(sum ^ byte) & 0xff]!
  }
  return (sum ^ 0xffffffff) >>> 0
}

// By hand, because JSON.stringify would put keys that are numbers first.
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const keys = Object.keys(value).sort(byCodePoint)
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sorted((value as Record<string, unknown>)[key])}`).join()}}`
}

/** JavaScript sorts by halves of characters: above U+D7FF that is another order. */
function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let k = 0; k < length; k++) {
    if (a[k] !== b[k]) return a.codePointAt(k)! - b.codePointAt(k)!
  }
  return a.length - b.length
}
