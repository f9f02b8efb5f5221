import { describe, expect, it } from 'vitest'
import enOfPlayer from '../player/en.json'
import zhOfPlayer from '../player/zh.json'
import enOfConsole from '../st/en.json'
import zhOfConsole from '../st/zh.json'
import enOfAll from './en.json'
import zhOfAll from './zh.json'

const en = { ...enOfAll, ...enOfPlayer, ...enOfConsole }
const zh = { ...zhOfAll, ...zhOfPlayer, ...zhOfConsole }

const gaps = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
// Every source of the page, as text.
const sources = Object.values(import.meta.glob('../**/*.{svelte,ts}', { query: '?raw', import: 'default', eager: true })) as string[]

describe('the words of the pages', () => {
  it('are there in both languages', () => {
    expect(Object.keys(zh).sort()).toEqual(Object.keys(en).sort())
  })

  it.each(Object.keys(en) as (keyof typeof en)[])('%s says something, with the same gaps in both', (key) => {
    expect(en[key].trim()).not.toBe('')
    expect(zh[key].trim()).not.toBe('')
    expect(gaps(zh[key])).toEqual(gaps(en[key]))
  })

  it('are all used', () => {
    const whole = sources.join('\n')
    const built = [...whole.matchAll(/\bt\(`(\w+)\$\{/g)].map((match) => match[1]!)
    const unused = Object.keys(en).filter((key) => !whole.includes(`'${key}'`) && !built.some((start) => key.startsWith(start)))
    expect(unused).toEqual([])
  })
})
