// What the package offers. The rest of it stands behind `connect`.

export { CLOSE, MINOR, VERSION } from './generated/contract.ts'
export type * from './generated/messages.ts'
export { BadInvitation, type Invitation, readInvitation } from './invitation.ts'
export { type By, isLasting, type Line, Named } from './lines.ts'
export type { ConnectionState } from './link.ts'
export { Closed, NotLive, Refused, TableProblem, Unanswered } from './problems.ts'
export { isAsked, passed, Prompt, standing } from './prompts.ts'
export type { Saved, Update } from './session.ts'
export { activeOf, type Facts, find, orderOf, stackOf, type State, type Thing, type Things } from './state.ts'
export { type CommandOptions, connect, type Fields, Table, type TableEvents, type TableOptions, Told } from './table.ts'
export * as texts from './texts.ts'
