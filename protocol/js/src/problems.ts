// What can go wrong for somebody who uses the SDK. `said(language)` of each is a sentence for people.

import * as texts from './texts.ts'

/** Anything that a table's client throws. */
export abstract class TableProblem extends Error {
  abstract said(language?: string): string
}

/** The server said no; nothing was changed. `retry`: the same request may succeed a moment later. */
export class Refused extends TableProblem {
  override name = 'Refused'

  constructor(
    readonly code: string,
    readonly params: texts.Fields,
    readonly retry: boolean,
    readonly language = 'en',
  ) {
    super(texts.refusal(code, params, language))
  }

  said(language = this.language): string {
    return texts.refusal(this.code, this.params, language)
  }
}

/** No answer came in time. A command may have been done all the same: the state will show it. */
export class Unanswered extends TableProblem {
  override name = 'Unanswered'

  constructor(
    readonly what: 'command' | 'question' | 'state' | 'seat',
    readonly gaps: Readonly<Record<string, string>>,
    readonly language = 'en',
  ) {
    super(waits(what, gaps, language))
  }

  said(language = this.language): string {
    return waits(this.what, this.gaps, language)
  }
}

/** Nothing was sent, because there is no connection just now, and the command was not to wait for one. */
export class NotLive extends TableProblem {
  override name = 'NotLive'

  constructor(readonly language = 'en') {
    super(texts.word('lost', 'not_live', language))
  }

  said(language = this.language): string {
    return texts.word('lost', 'not_live', language)
  }
}

/** The client has ended for good. `code` is the close code, null when it was closed from this side. */
export class Closed extends TableProblem {
  override name = 'Closed'

  constructor(
    readonly code: number | null,
    readonly words: string,
    readonly language = 'en',
  ) {
    super(code === null ? words : texts.closed(code, language, words))
  }

  said(language = this.language): string {
    return this.code === null ? texts.word('lost', 'left', language) : texts.closed(this.code, language, this.words)
  }
}

function waits(what: string, gaps: Readonly<Record<string, string>>, language: string): string {
  return texts.word('waits', what, language).replace(/\{(\w+)\}/g, (_, gap: string) => gaps[gap] ?? '')
}
