// Questions to etcd, over its socket or where it is outside, and which of them are asked again when no answer comes: etcd is started again now
// and then, and a connection that was kept leads to one that is gone.
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { type RequestOptions, request as requestSecurely, Agent as SecureAgent } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { noSwarmLeader, unavailable } from '../../errors.ts'

const answerMs = 15_000
/** How long a question that can be asked again waits for its answer before it is. */
const attemptMs = 1_500
/** How long it is asked again, and how often. */
const againMs = 5_000
const betweenTriesMs = 100
const maxAnswerBytes = 256 * 1024 * 1024

interface Repeats {
  /** Asking again does no harm where it was carried out already. */
  isSafeAgain: boolean
  attemptMs: number
}

/** Where etcd is. */
export interface EtcdPlace {
  /** Now; it may be elsewhere the next time. */
  target(): { isSecure: boolean; options: RequestOptions }
  /** Nobody answers there. */
  failed(): void
}

/** The engine's own: there is no other to ask. */
export const socketPlace = (socketPath: () => string): EtcdPlace => ({
  target: () => ({ isSecure: false, options: { socketPath: socketPath(), headers: { host: 'etcd' } } }),
  failed: () => {},
})

export class EtcdConnection {
  readonly #place: EtcdPlace
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 })
  readonly #secureAgent = new SecureAgent({ keepAlive: true, maxSockets: 16 })
  readonly #streams = new Set<ClientRequest>()

  constructor(place: EtcdPlace) {
    this.#place = place
  }

  close(): void {
    this.#agent.destroy()
    this.#secureAgent.destroy()
  }

  /** Its answer goes on; the caller ends it. */
  stream(path: string, body: object): ClientRequest {
    const stream = this.#send(path, body, undefined)
    this.#streams.add(stream)
    stream.once('close', () => this.#streams.delete(stream))
    return stream
  }

  /** What changes nothing: asked until it is answered. */
  async read<T>(path: string, body: object): Promise<T> {
    return (await this.#ask<T>(path, body, { isSafeAgain: true, attemptMs: answerMs })).answer
  }

  /**
   * One that was not taken is asked for again, until there is a leader. So is one that nobody answers, where that is
   * safe: a member that sent it to a leader that has just died would say so after seven seconds.
   */
  write<T>(path: string, body: object, isSafeAgain = false): Promise<{ answer: T; isRepeated: boolean }> {
    return this.#ask(path, body, { isSafeAgain, attemptMs: isSafeAgain ? attemptMs : answerMs })
  }

  /** For who asks again by itself. `ms`: an answer after that is of no use. */
  async askOnce<T>(path: string, body: object, ms = answerMs): Promise<T> {
    try {
      return await this.#exchange<T>(path, body, ms)
    } catch (error) {
      throw problemOf(error as Error)
    }
  }

  /** `isRepeated`: one before may have been carried out. */
  async #ask<T>(path: string, body: object, repeats: Repeats): Promise<{ answer: T; isRepeated: boolean }> {
    const deadline = Date.now() + againMs
    for (let isRepeated = false; ; ) {
      const isLast = Date.now() + attemptMs > deadline
      try {
        const answer = await this.#exchange<T>(path, body, isLast ? answerMs : repeats.attemptMs)
        return { answer, isRepeated }
      } catch (error) {
        const fate = fateOf(error as Error)
        const isAgain = fate === 'not taken' || (fate === 'unknown' && repeats.isSafeAgain)
        if (!isAgain || isLast || Date.now() > deadline) throw problemOf(error as Error)
        isRepeated ||= fate === 'unknown'
        await pause(betweenTriesMs)
      }
    }
  }

  #exchange<T>(path: string, body: object, ms: number): Promise<T> {
    return new Promise((resolve, reject) => {
      const sent = this.#send(path, body, ms)
      sent.once('error', reject)
      sent.once('response', (response) => {
        readAll(response).then((text) => {
          if (response.statusCode === 200) return resolve(JSON.parse(text) as T)
          if (answeredFate(text) !== 'refused') this.#place.failed()
          reject(new AnsweredError(text.slice(0, 500)))
        }, reject)
      })
    })
  }

  #send(path: string, body: object, timeout: number | undefined): ClientRequest {
    const data = JSON.stringify(body)
    const { isSecure, options } = this.#place.target()
    const [ask, agent] = isSecure ? [requestSecurely, this.#secureAgent] : [request, this.#agent]
    const described = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(data) }
    const sent = ask({
      ...{ ...options, method: 'POST', path, headers: { ...options.headers, ...described } },
      ...(timeout === undefined ? { agent: false } : { agent, timeout }),
    })
    sent.on('error', () => this.#place.failed())
    sent.on('timeout', () => {
      sent.destroy(new Error(unansweredWords))
      if (options.socketPath === undefined) this.#endStreams()
    })
    sent.end(data)
    return sent
  }

  /** A machine that is gone says nothing, and who only listens to it would never know. */
  #endStreams(): void {
    for (const stream of this.#streams) stream.destroy(new Error(unansweredWords))
  }
}

const unansweredWords = 'etcd did not answer in time'

/** What etcd said instead of doing it. */
class AnsweredError extends Error {}

/** What became of a question that has no good answer: a half that arrived is none to etcd, it waits for the rest. */
function fateOf(error: NodeJS.ErrnoException): 'not taken' | 'refused' | 'unknown' {
  if (error instanceof AnsweredError) return answeredFate(error.message)
  return error.syscall === 'connect' || error.syscall === 'write' ? 'not taken' : 'unknown'
}

function answeredFate(words: string): 'not taken' | 'refused' | 'unknown' {
  if (/proposal dropped|no leader/.test(words)) return 'not taken'
  return /leader changed|request timed out|deadline exceeded/.test(words) ? 'unknown' : 'refused'
}

const isLeaderless = ({ message }: Error): boolean =>
  /proposal dropped|no leader|leader changed|etcdserver: request timed out|deadline exceeded|did not answer in time/.test(
    message,
  )

const problemOf = (error: Error): Error =>
  isLeaderless(error) ? noSwarmLeader() : unavailable(`The store of the swarm does not answer: ${error.message}`)

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxAnswerBytes) throw new AnsweredError('the answer is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
