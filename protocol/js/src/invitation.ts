// What somebody was given to sit down at a table: protocol/invitation.py again.

import { PATH } from './generated/contract.ts'

const SCHEMES: Readonly<Record<string, string>> = { 'http:': 'ws:', 'https:': 'wss:', 'ws:': 'ws:', 'wss:': 'wss:' }

/** The line is no invitation. It is never repeated: it holds a secret. `why`: a word of the texts "invitations". */
export class BadInvitation extends Error {
  constructor(readonly why: 'unreadable' | 'beginning' | 'end') {
    super(`no invitation: ${why}`)
    this.name = 'BadInvitation'
  }
}

/** `url` is where the WebSocket lives. The token stands behind the "#", which no browser sends and no log keeps. */
export interface Invitation {
  readonly url: string
  readonly token: string
}

/** Reads `http(s)://host:port/#table.seat.secret`, or the same with ws(s). Throws BadInvitation. */
export function readInvitation(text: string): Invitation {
  const [, before = '', fragment = ''] = /^([^#]*)#?(.*)$/s.exec(text.trim())!
  if (!/^(http|ws)s?:\/\/[^/]/i.test(before)) throw new BadInvitation('beginning')
  let url: URL
  try {
    url = new URL(before)
  } catch {
    throw new BadInvitation('unreadable')
  }
  const parts = fragment.split('.')
  if (parts.length !== 3 || parts.some((part) => part === '')) throw new BadInvitation('end')
  const path = url.pathname.replace(/\/+$/, '')
  const base = path.endsWith(PATH) ? path.slice(0, -PATH.length) : path
  return { url: `${SCHEMES[url.protocol]}//${url.host}${base}${PATH}`, token: fragment }
}

/** The link for whoever is to sit down with another token of the same server. */
export function invitationOf({ url }: Invitation, token: string): string {
  return `${url.slice(0, -PATH.length).replace(/^ws/, 'http')}/#${token}`
}

/** Letters that nobody can guess: what an invitation is made from. */
export const newSalt = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
