// Reads what a model writes, piece by piece, and tells content from tool calls. It holds back only what may be the
// beginning of a call; a call that is not well formed turns out to be content.
import { JsonObjectEnd } from './json-object-end.ts'
import { matchLoosely } from './loose-match.ts'
import type { ToolSyntax } from './tool-syntax.ts'

export type ToolCallEvent =
  | { type: 'content'; text: string }
  | { type: 'call'; name: string }
  /** A piece of the arguments' JSON, just as it was written. */
  | { type: 'arguments'; text: string }
  /** Not complete: the text ended within the arguments. */
  | { type: 'call-end'; complete: boolean }

/** A call's head may not be longer: it is content then. */
const maxHeadLength = 500

type State =
  /** Content, and perhaps a call. */
  | { at: 'content' }
  /** The trigger has been seen; `begin` is what must come up to the name. */
  | { at: 'head'; begin: string }
  | { at: 'arguments'; end: JsonObjectEnd }
  | { at: 'call-end' }
  /** Behind a call: another one, the end of all, or content. */
  | { at: 'between' }
  /** Content to the end. */
  | { at: 'plain' }

export class ToolCallReader {
  readonly #syntax: ToolSyntax
  readonly #names: ReadonlySet<string>
  #state: State = { at: 'content' }
  /** What has been given but not yet told. */
  #held = ''
  /** Since the last call. */
  #hasContent = false
  #hadCall = false
  /** White space ahead of what may be a call: content only if it is none. */
  #blank = ''
  #events: ToolCallEvent[] = []
  #textAfterTrigger: string | undefined

  constructor(syntax: ToolSyntax, names: Iterable<string>) {
    this.#syntax = syntax
    this.#names = new Set(names)
  }

  /**
   * Once the first call has begun: the text that came behind the trigger in the same piece. A grammar turned on now
   * must take that text first.
   */
  get textAfterTrigger(): string | undefined {
    return this.#textAfterTrigger
  }

  push(text: string): ToolCallEvent[] {
    this.#held += text
    while (this.#step());
    return this.#take()
  }

  /** Nothing more will come. */
  end(): ToolCallEvent[] {
    if (this.#state.at === 'arguments') this.#events.push({ type: 'call-end', complete: false })
    else if (this.#state.at === 'call-end') this.#events.push({ type: 'call-end', complete: true })
    else if (this.#state.at !== 'between' || this.#held.trim() !== '') this.#content(this.#blank + this.#held)
    this.#held = ''
    this.#state = { at: 'plain' }
    return this.#take()
  }

  #take(): ToolCallEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  /** True: something was done, and there may be more to do. */
  #step(): boolean {
    switch (this.#state.at) {
      case 'content':
        return this.#syntax.onlyAtStart ? this.#readStart() : this.#readContent()
      case 'head':
        return this.#readHead(this.#state.begin)
      case 'arguments':
        return this.#readArguments(this.#state.end)
      case 'call-end':
        return this.#readCallEnd()
      case 'between':
        return this.#readBetween()
      case 'plain':
        this.#content(this.#cut(this.#held.length))
        return false
    }
  }

  #readContent(): boolean {
    const { trigger } = this.#syntax
    const found = this.#held.indexOf(trigger)
    if (found < 0) {
      const certain = this.#held.length - beginningAtEnd(this.#held, trigger)
      // Blank lines ahead of a call are no content.
      if (this.#hasContent || this.#held.slice(0, certain).trim() !== '') this.#content(this.#cut(certain))
      return false
    }
    const ahead = this.#cut(found)
    if (this.#hasContent || ahead.trim() !== '') this.#content(ahead)
    else this.#blank = ahead
    this.#begin()
    return true
  }

  #readStart(): boolean {
    const start = this.#held.trimStart()
    if (start.startsWith(this.#syntax.trigger)) {
      this.#blank = this.#cut(this.#held.length - start.length)
      this.#begin()
      return true
    }
    if (this.#syntax.trigger.startsWith(start)) return false
    this.#state = { at: 'plain' }
    return true
  }

  #begin(): void {
    this.#textAfterTrigger ??= this.#held.slice(this.#syntax.trigger.length)
    this.#state = { at: 'head', begin: this.#syntax.before + this.#syntax.callBegin }
  }

  #readHead(begin: string): boolean {
    const head = this.#matchHead(begin)
    if (head === 'more' && this.#held.length <= maxHeadLength) return false
    if (typeof head === 'string') {
      // No call after all. What follows the trigger may still hold one.
      this.#content(this.#blank + this.#cut(this.#syntax.onlyAtStart ? this.#held.length : 1))
      this.#blank = ''
      this.#state = { at: this.#syntax.onlyAtStart ? 'plain' : 'content' }
      return true
    }
    this.#blank = ''
    this.#cut(head.end)
    this.#events.push({ type: 'call', name: head.name })
    this.#state = { at: 'arguments', end: new JsonObjectEnd() }
    return true
  }

  /** Up to the brace that opens the arguments. */
  #matchHead(begin: string): { name: string; end: number } | 'more' | 'no' {
    const nameAt = matchLoosely(this.#held, 0, begin)
    if (typeof nameAt === 'string') return nameAt
    const { beforeArguments } = this.#syntax
    const nameEnd = this.#held.indexOf(beforeArguments.charAt(0), nameAt)
    const name = nameEnd < 0 ? this.#held.slice(nameAt) : this.#held.slice(nameAt, nameEnd)
    if (nameEnd < 0) return [...this.#names].some((known) => known.startsWith(name)) ? 'more' : 'no'
    if (!this.#names.has(name)) return 'no'
    const brace = matchLoosely(this.#held, nameEnd, `${beforeArguments}{`)
    return typeof brace === 'string' ? brace : { name, end: brace - 1 }
  }

  #readArguments(end: JsonObjectEnd): boolean {
    const length = end.find(this.#held)
    const text = this.#cut(length ?? this.#held.length)
    if (text !== '') this.#events.push({ type: 'arguments', text })
    if (length === undefined) return false
    this.#state = { at: 'call-end' }
    return true
  }

  #readCallEnd(): boolean {
    const end = matchLoosely(this.#held, 0, this.#syntax.callEnd)
    if (end === 'more') return false
    // Without its end mark the call is still a whole one: its arguments are.
    if (end !== 'no') this.#cut(end)
    this.#events.push({ type: 'call-end', complete: true })
    this.#state = { at: 'between' }
    return true
  }

  #readBetween(): boolean {
    const { between, callBegin, after, parallel, onlyAtStart } = this.#syntax
    const next = parallel ? matchLoosely(this.#held, 0, between + callBegin) : 'no'
    if (typeof next === 'number') {
      this.#state = { at: 'head', begin: between + callBegin }
      return true
    }
    const last = after === '' ? 'no' : matchLoosely(this.#held, 0, after)
    if (last === 'no' && next === 'more') return false
    if (last === 'more') return false
    if (typeof last === 'number') this.#cut(last)
    this.#hasContent = false
    this.#hadCall = true
    this.#state = { at: onlyAtStart || !parallel ? 'plain' : 'content' }
    return true
  }

  #content(text: string): void {
    // Blank lines behind a call are no content either.
    if (text === '' || (this.#hadCall && !this.#hasContent && text.trim() === '')) return
    this.#hasContent = true
    this.#events.push({ type: 'content', text })
  }

  #cut(length: number): string {
    const text = this.#held.slice(0, length)
    this.#held = this.#held.slice(length)
    return text
  }
}

/** How much of the text's end could be the beginning of the mark. */
function beginningAtEnd(text: string, mark: string): number {
  for (let length = Math.min(text.length, mark.length - 1); length > 0; length -= 1) {
    if (text.endsWith(mark.slice(0, length))) return length
  }
  return 0
}
