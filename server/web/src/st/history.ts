// Which lines of the log a rewind has undone. The server says it of older lines; of those heard since, it follows from them.

import { isLasting, type Told } from '@overseer-vtt/sdk'

/** The positions that rewinds among these lines have gone back over. One that was itself undone has undone nothing. */
export function goneBackOver(lines: readonly Told[]): ReadonlySet<number> {
  const gone = new Set<number>()
  for (const line of [...lines].reverse()) {
    if (line.kind !== 'rewound' || gone.has(line.n)) continue
    for (let n = Number(line.get('to_n')) + 1; n < line.n; n++) gone.add(n)
  }
  return gone
}

/** What can be undone: a change of play that stands. */
export const stands = (line: Told, gone: ReadonlySet<number>): boolean => !line.undone && !isLasting(line.kind) && !gone.has(line.n)

/** The newest change that can be undone; null where there is none. */
export function newest(lines: readonly Told[]): Told | null {
  const gone = goneBackOver(lines)
  return [...lines].reverse().find((line) => stands(line, gone)) ?? null
}
