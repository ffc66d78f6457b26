// From the client to the shard: commands pass as they come, but for those that change what the connection is.
import type { ClientDirectory, ListedClient } from './clients.ts'
import type { ConnectionState } from './connection-state.ts'
import type { Expected } from './expected.ts'
import { kindOf } from './resp/commands.ts'
import { ProtocolError } from './resp/frame-scanner.ts'
import { inlineCommand } from './resp/inline-command.ts'
import { isPlain } from './resp/plain-commands.ts'
import { RequestScanner } from './resp/request-scanner.ts'
import { SpecialCommands } from './special-commands.ts'
import type { Trail } from './trail.ts'
import { Upload, type UploadBudget } from './upload.ts'

const star = 42
const nothing: Buffer = Buffer.alloc(0)
/** An ordinary command that needs more bytes than this is not collected before it is sent. */
const maxCollectedBytes = 64 * 1024

interface Options {
  state: ConnectionState
  expected: Expected
  uploads: UploadBudget
  directory: ClientDirectory
  self: ListedClient
  trail: Trail
  send(bytes: Buffer): void
  mayForward(): boolean
  /** It was told what no server reads. Should it not say so itself, these are its words. */
  refused(words: string): void
}

export class CommandPath {
  readonly special: SpecialCommands
  readonly #options: Options
  readonly #scanner = new RequestScanner()
  #input = nothing
  #needed = 0
  /** What is there of the next command was looked at: more has to come. */
  #isIncomplete = false
  /** A long command is on its way. */
  #upload: Upload | undefined
  /** Nothing follows any more: the client has said goodbye, or something that is no command. */
  #isOver = false

  constructor(options: Options) {
    this.#options = options
    this.special = new SpecialCommands({
      ...options,
      pass: (command, count) => this.#pass(command, count),
      over: () => {
        this.#isOver = true
      },
    })
  }

  /** In the midst of a command that no other shard can be told again. */
  get isTied(): boolean {
    return this.#upload?.isKept === false
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Nothing of what has come can be sent any more unless something follows. */
  get isSpent(): boolean {
    return this.#input.length === 0 || (this.#isIncomplete && this.#upload === undefined)
  }

  get heldBytes(): number {
    return this.#input.length
  }

  /** A connection that was told the same could carry what follows, too. */
  mayShare(chunk: Buffer): boolean {
    const isBusy = this.special.isOwn || this.#isOver || this.#input.length > 0 || this.#upload !== undefined
    if (isBusy || chunk[0] !== star) return false
    try {
      const end = this.#scanner.next(chunk, 0)
      return end > 0 && isPlain(chunk, this.#scanner.nameAt, this.#scanner.nameLength)
    } catch {
      return false
    }
  }

  take(chunk: Buffer): void {
    if (this.#isOver) return
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk])
    if (this.#upload !== undefined || this.#input.length >= this.#needed) this.pump()
  }

  /** Sends what may be sent. */
  pump(): void {
    if (this.#upload !== undefined) this.#passOn(this.#upload)
    if (this.#upload !== undefined) return
    const { mayForward } = this.#options
    const input = this.#input
    let [at, runAt, count] = [0, 0, 0]
    const passRun = () => this.#pass(input.subarray(runAt, at), count)
    while (at < input.length && !this.#isOver && mayForward()) {
      const end = this.#next(input, at, passRun)
      if (end < 0) return
      const { nameAt, nameLength } = this.#scanner
      const isLine = input[at] !== star
      const kind = isLine || this.#scanner.isNothing ? undefined : kindOf(input, nameAt, nameLength)
      if (kind === undefined && !isLine && !this.#scanner.isNothing) {
        if (!isPlain(input, nameAt, nameLength)) this.special.needsOwn()
        count++
        at = end
        continue
      }
      passRun()
      if (isLine) this.#line(input.subarray(at, end), input.subarray(at))
      else if (kind !== undefined) this.special.run(kind, input.subarray(at, end))
      at = end
      runAt = end
      count = 0
    }
    passRun()
    this.#input = this.#isOver ? nothing : input.subarray(at)
    this.#needed = 0
    this.#isIncomplete = false
  }

  /** Where the next command ends, or -1 when that is all: it is not complete, or it is none. */
  #next(input: Buffer, at: number, passRun: () => void): number {
    let end: number
    try {
      end = this.#scanner.next(input, at)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      passRun()
      this.#refuse(input.subarray(at), error.message)
      return -1
    }
    if (end >= 0) return end
    passRun()
    this.#keep(input.subarray(at))
    return -1
  }

  /** The shard is told, too: it knows how to say it. */
  #refuse(rest: Buffer, words: string): void {
    this.#isOver = true
    this.#input = nothing
    const { expected, send, refused } = this.#options
    expected.addOwn({ kind: 'awaited', judge: () => 'pass' })
    send(rest)
    refused(words)
  }

  #line(line: Buffer, rest: Buffer): void {
    const command = inlineCommand(line)
    if (command === 'unbalanced') this.#refuse(rest, 'unbalanced quotes in request')
    else if (command !== undefined) this.#one(command)
  }

  #one(command: Buffer): void {
    this.#scanner.next(command, 0)
    const { nameAt, nameLength } = this.#scanner
    const kind = kindOf(command, nameAt, nameLength)
    if (kind !== undefined) this.special.run(kind, command)
    else {
      if (!isPlain(command, nameAt, nameLength)) this.special.needsOwn()
      this.#pass(command, 1)
    }
  }

  /** On a new connection. */
  renewed(): void {
    for (const piece of this.#upload?.kept ?? []) this.#options.send(piece)
    this.special.renewed()
  }

  /** The client is gone. */
  close(): void {
    this.#abandon()
    this.special.close()
  }

  #pass(commands: Buffer, count: number): void {
    if (count === 0) return
    const { state, expected, send } = this.#options
    if (state.isInTransaction) state.queue([commands], commands.length, count)
    expected.addPlain(count)
    send(commands)
  }

  #keep(begun: Buffer): void {
    const { nameLength, nameAt, needed } = this.#scanner
    const isPlain = nameLength > 0 && kindOf(this.#input, nameAt, nameLength) === undefined
    this.#input = begun
    this.#isIncomplete = true
    this.#needed = Math.min(needed, isPlain ? maxCollectedBytes / 2 : needed)
    if (needed <= maxCollectedBytes || !isPlain || begun.length < maxCollectedBytes / 2) return
    this.#upload = new Upload(this.#options.uploads)
    this.special.needsOwn()
    this.#passOn(this.#upload)
  }

  /** Of a long command, what there is. One that can be told again waits like any other. */
  #passOn(upload: Upload): void {
    const { state, expected, send, mayForward } = this.#options
    if (this.#input.length === 0 || (upload.isKept && !mayForward())) return
    const input = this.#input
    let end: number
    try {
      end = upload.pass(input)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      this.#abandon()
      this.#refuse(input, error.message)
      return
    }
    this.#input = end < 0 ? nothing : input.subarray(end)
    if (end >= 0) {
      if (state.isInTransaction) state.queue(upload.kept, upload.bytes, 1)
      this.#abandon()
      expected.addPlain(1)
    }
    send(end < 0 ? input : input.subarray(0, end))
  }

  #abandon(): void {
    this.#upload?.forget()
    this.#upload = undefined
    this.#needed = 0
  }
}
