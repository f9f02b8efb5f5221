// A Storyteller in another seat: he sees what it sees by a line that only looks, and acts for it by his own.

import { type Ack, type CommandOptions, type Commands, type Fields, Table } from '@overseer-vtt/sdk'

export class Eyes extends Table {
  readonly #own: Table

  /** `name`: a player's seat, or "all" for what spectators see. */
  constructor(invitation: string, own: Table, name: string, language: string) {
    super(invitation, { seeAs: name, language })
    this.#own = own
  }

  override command<Kind extends keyof Commands>(kind: Kind, fields: Fields<Commands[Kind]>, options: CommandOptions = {}): Promise<Ack> {
    if (this.role !== 'player') return super.command(kind, fields, options)
    return this.#own.command(kind, fields, { ...options, asSeat: this.seat })
  }
}
