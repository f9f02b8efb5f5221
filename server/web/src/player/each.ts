// Values that are set by a press, a tick or a choice. One that is set while another is on its way to the server waits for its
// turn, so that each counts; of buttons only one press at a time does (doing.svelte.ts).

import type { Ack, Commands, Fields, Table } from '@overseer-vtt/sdk'
import { doing } from '../lib/doing.svelte'

const line = new Map<string, Promise<unknown>>()

/** As `doing.send`. */
export function each<Kind extends keyof Commands>(seat: Table, kind: Kind, fields: Fields<Commands[Kind]>, button: string = kind): Promise<Ack | null> {
  const turn = (line.get(button) ?? Promise.resolve()).then(() => doing.send(seat, kind, fields, button))
  line.set(button, turn)
  void turn.finally(() => line.get(button) === turn && line.delete(button))
  return turn
}
