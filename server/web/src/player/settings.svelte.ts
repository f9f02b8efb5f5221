// What this person wants of this browser.

const KEPT = 'overseer.settings'
const USUAL = { vibrate: true, sound: false, keys: true }
export type Setting = keyof typeof USUAL

let chosen = $state<Record<Setting, boolean>>({ ...USUAL, ...JSON.parse(localStorage.getItem(KEPT) ?? '{}') })

export const wants = (what: Setting): boolean => chosen[what]

export function want(what: Setting, on: boolean): void {
  chosen = { ...chosen, [what]: on }
  localStorage.setItem(KEPT, JSON.stringify(chosen))
}

/** A question, or one's own turn: told to the hand and the ear, as far as this person and this browser want it. */
export function nudge(): void {
  if (wants('vibrate')) navigator.vibrate?.(80)
  if (wants('sound')) beep()
}

function beep(): void {
  const context = new AudioContext()
  const tone = context.createOscillator()
  const volume = context.createGain()
  volume.gain.value = 0.08
  tone.frequency.value = 660
  tone.connect(volume).connect(context.destination)
  tone.start()
  tone.stop(context.currentTime + 0.15)
  tone.onended = () => void context.close()
}
