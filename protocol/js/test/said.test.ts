// What this package says, sums up and reads is what Python's does: the very same examples through both.

import { beforeAll, describe, expect, it } from 'vitest'
import { crc } from '../src/checks.ts'
import { comesBack } from '../src/codes.ts'
import { BadInvitation, readInvitation } from '../src/invitation.ts'
import { unpack } from '../src/lines.ts'
import { Table } from '../src/table.ts'
import * as texts from '../src/texts.ts'
import { python } from './python.ts'

let said: Record<string, any>
beforeAll(async () => {
  said = JSON.parse(await python('tests.protocol.said'))
  await Promise.all(texts.LANGUAGES.map(texts.load))
}, 30_000)

const both = (of: (language: string) => string) => [of('en'), of('zh')]

describe('as Python', () => {
  it('tells every line of the log', () => {
    const seats = new Map<string, string>(Object.entries(said['seats']))
    const seat = (id: string) => seats.get(id) ?? ''
    const told = said['lines'].map(([packed]: [unknown[]]) => [packed, ...both((language) => texts.say(unpack(packed)!, language, seat))])
    expect(told.length).toBeGreaterThan(1000)
    expect(told).toEqual(said['lines'])
  })

  it('tells every refusal', () => {
    const told = said['refusals'].map(([code, params]: [string, texts.Fields]) => [code, params, ...both((l) => texts.refusal(code, params, l))])
    expect(told).toEqual(said['refusals'])
  })

  it('tells why a connection has ended, and whether to come back', () => {
    const told = said['closes'].map(([code, words]: [number, string]) => [code, words, ...both((l) => texts.closed(code, l, words)), comesBack(code)])
    expect(told).toEqual(said['closes'])
  })

  it('explains when an effect ends', () => {
    const told = said['explanations'].map(([why, facts]: [string, texts.Fields]) => [why, facts, ...both((l) => texts.explanation(why, facts, l))])
    expect(told).toEqual(said['explanations'])
  })

  it('says lengths of time', () => {
    expect(said['times'].map(([n]: [number]) => [n, ...both((l) => texts.time(n, l))])).toEqual(said['times'])
  })

  it('sums up what is seen', () => {
    expect(said['crcs'].map(([view]: [object]) => [view, crc(new Map(Object.entries(view)))])).toEqual(said['crcs'])
  })

  it('reads invitations', () => {
    expect(said['invitations'].map(([text]: [string]) => [text, readInvitation(text).url])).toEqual(said['invitations'])
    for (const [text, why] of said['no_invitations']) {
      expect(() => readInvitation(text), text).toThrow(BadInvitation)
      expect(() => readInvitation(text), text).toThrow(why)
    }
    expect(() => new Table(undefined as unknown as string)).toThrow(BadInvitation)
  })
})
