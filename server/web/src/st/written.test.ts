import type { Told } from '@overseer-vtt/sdk'
import { describe, expect, it } from 'vitest'
import { goneBackOver, newest } from './history'
import { emptyUnit, numbersOf, preparedOf } from './written'

describe('what people write of a unit', () => {
  it('is read in both scripts, and what has no number is left out', () => {
    expect(numbersOf('DEX 3, PER 2')).toEqual({ DEX: 3, PER: 2 })
    expect(numbersOf('敏捷3；近身 格斗 4')).toEqual({ 敏捷: 3, '近身 格斗': 4 })
    expect(numbersOf('brave, STR -1,')).toEqual({ STR: -1 })
  })

  it('becomes what the command takes, in the game that is played', () => {
    const written = { ...emptyUnit(), name: ' Ghoul ', count: 3, attacks: [{ name: 'claws', dice: 5, damage: 1, ranged: false }] }
    const prepared = preparedOf(written, { table: { slots: ['simple', 'free'] } } as never) as any
    expect([prepared.unit.name, prepared.count, prepared.owner]).toEqual(['Ghoul', 3, undefined])
    expect(prepared.unit.abilities.claws).toMatchObject({ slots: ['simple'], act: 'melee_attack', pool: { fixed: 5 } })
  })
})

describe('what can be undone', () => {
  const line = (n: number, kind: string, to?: number) => ({ n, kind, undone: false, get: () => to }) as unknown as Told

  it('is the newest change of play that no rewind has undone', () => {
    const lines = [line(1, 'moved'), line(2, 'damaged'), line(3, 'said'), line(4, 'rewound', 1), line(5, 'narrated')]
    expect([...goneBackOver(lines)]).toEqual([2, 3])
    expect(newest(lines)?.n).toBe(1)
  })

  it('is there again where the rewind was itself undone', () => {
    const lines = [line(1, 'moved'), line(2, 'damaged'), line(3, 'rewound', 1), line(4, 'rewound', 2)]
    expect([...goneBackOver(lines)]).toEqual([3])
    expect(newest(lines)?.n).toBe(2)
  })
})
