// Reads a body: bounded in size, and in how slowly it may come.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { http } from '../server/node-http.ts'
import { BodyPace } from './body-pace.ts'

export class BodyTooLarge extends Error {
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}
export class BodyTooSlow extends Error {}
export class BodyCut extends Error {}

export interface ReadLimits {
  maxBytes: number
  idleMs: number
  /** For the whole of it, however steadily it comes. */
  wholeMs?: number
  /** Ends the reading with its reason. */
  signal?: AbortSignal
}

type Take = (piece: Buffer) => Promise<void> | undefined

/** Hands over each piece as it arrives. The next one waits for a promise that `take` returns; what it throws ends all. */
export async function readPieces(source: Readable, limits: ReadLimits, take: Take): Promise<void> {
  const whole = limits.signal === undefined ? wholeAtHand(source) : undefined
  if (whole === undefined) return readArriving(source, limits, take)
  if (whole.length > limits.maxBytes) throw new BodyTooLarge(limits.maxBytes)
  if (whole.length > 0) await take(whole)
}

/** A small body mostly comes together with its head: all of it is there, and nothing has to be waited for. */
function wholeAtHand(source: Readable): Buffer | undefined {
  if (!(source instanceof http.IncomingMessage) || source.destroyed) return undefined
  if (!source.complete && !hasLastByte(source)) return undefined
  return (source.read() as Buffer | null) ?? Buffer.alloc(0)
}

/** Node tells of the end after the promises that wait for the bytes before it. */
const hasLastByte = ({ headers, readableLength }: IncomingMessage): boolean =>
  readableLength > 0 && readableLength === Number(headers['content-length'])

function readArriving(source: Readable, limits: ReadLimits, take: Take): Promise<void> {
  const { maxBytes, idleMs, wholeMs, signal } = limits
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let bytes = 0
  let isHeldUp = false
  let isEnded = false
  let isOver = false
  const onTooSlow = () => fail(new BodyTooSlow())
  const pace = new BodyPace({ idleMs, isHeldUp: () => isHeldUp, onTooSlow })
  const deadline = wholeMs === undefined ? undefined : setTimeout(onTooSlow, wholeMs)
  const onData = (piece: Buffer) => {
    pace.took(piece.length)
    bytes += piece.length
    if (bytes > maxBytes) return fail(new BodyTooLarge(maxBytes))
    try {
      const working = take(piece)
      if (working !== undefined) holdUp(working)
    } catch (error) {
      fail(error)
    }
  }
  const holdUp = (working: Promise<void>) => {
    isHeldUp = true
    source.pause()
    working.then(goOn, fail)
  }
  const goOn = () => {
    isHeldUp = false
    if (isOver) return
    if (isEnded) finish()
    else source.resume()
  }
  const onEnd = () => {
    isEnded = true
    if (!isHeldUp) finish()
  }
  const finish = () => {
    stop()
    resolve()
  }
  /** A stream closes after its end, while the last piece may still be worked on. */
  const onCut = () => {
    if (!isEnded) fail(new BodyCut())
  }
  const fail = (error: unknown) => {
    stop()
    source.pause()
    reject(error)
  }
  const onAbort = () => fail(signal?.reason)
  const stop = () => {
    isOver = true
    pace.stop()
    clearTimeout(deadline)
    signal?.removeEventListener('abort', onAbort)
    source.off('data', onData).off('end', onEnd).off('error', onCut).off('close', onCut)
    source.on('error', () => {})
  }
  signal?.addEventListener('abort', onAbort)
  source.on('data', onData).on('end', onEnd).on('error', onCut).on('close', onCut)
  return promise
}

/** The whole body, in memory. */
export async function readBytes(source: Readable, limits: ReadLimits): Promise<Buffer> {
  const pieces: Buffer[] = []
  await readPieces(source, limits, (piece) => {
    pieces.push(piece)
    return undefined
  })
  return wholeOf(pieces)
}

export const wholeOf = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
