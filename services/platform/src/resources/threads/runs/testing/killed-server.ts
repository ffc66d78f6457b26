// A server in a process of its own that a test kills and starts again, and a program that does not give up meanwhile.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import type { DatabaseTarget } from '@atoll/kernel/db/open'
import { sharePython } from '@atoll/sandbox/pyodide/testing/share-python'

const program = new URL('./run-node.ts', import.meta.url).pathname
const askAgainMs = 20

export class KilledServer {
  #process: ChildProcess | undefined
  #url = ''
  #apiKey = ''
  readonly #target: DatabaseTarget
  readonly #folder: string

  constructor(target: DatabaseTarget, folder: string) {
    this.#target = target
    this.#folder = folder
    sharePython(folder)
  }

  async start(): Promise<void> {
    const env = { ...process.env, ATOLL_TEST_TARGET: JSON.stringify(this.#target) }
    const child = spawn(process.execPath, [program, this.#folder], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    this.#process = child
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { url, apiKey } = JSON.parse(line) as { url: string; apiKey?: string }
    this.#url = url
    this.#apiKey ||= apiKey ?? ''
  }

  async kill(): Promise<void> {
    if (this.#process === undefined) return
    const closed = once(this.#process, 'close')
    this.#process.kill('SIGKILL')
    await closed
  }

  /** Asks until there is an answer. */
  async ask<Answer>(
    method: string,
    path: string,
    body?: object | FormData,
  ): Promise<{ status: number; answer: Answer }> {
    const text = await this.#text(method, path, body)
    return { ...text, answer: JSON.parse(text.answer) as Answer }
  }

  /** The bytes of a file, as text. */
  content(fileId: string): Promise<string> {
    return this.text(`/v1/files/${fileId}/content`)
  }

  async text(path: string): Promise<string> {
    return (await this.#text('GET', path)).answer
  }

  async #text(method: string, path: string, body?: object | FormData): Promise<{ status: number; answer: string }> {
    const isJson = body !== undefined && !(body instanceof FormData)
    for (;;) {
      try {
        const response = await fetch(this.#url + path, {
          method,
          headers: {
            authorization: `Bearer ${this.#apiKey}`,
            'openai-beta': 'assistants=v2',
            ...(isJson && { 'content-type': 'application/json' }),
          },
          ...(body && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
        })
        return { status: response.status, answer: await response.text() }
      } catch {
        await setTimeout(askAgainMs)
      }
    }
  }
}
