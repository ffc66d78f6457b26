// An isolated host with networks on it, and the ways tests speak to it.
import { tempDir } from '@atoll/testkit/temp-dir'
import type { EndpointSettings } from '../../resources/containers/schema.ts'
import type { Answer } from '../../testing/ask-json.ts'
import { type Calls, type IsolatedHost, isolatedHost } from '../../testing/isolated.ts'

type Machine = Calls<typeof import('./network-machine.ts')>

export interface TestMachine {
  host: IsolatedHost
  machine: Machine
  folder: string
  call(method: string, path: string, body?: unknown): Promise<Answer>
  /** The text of a page, asked for from within a container or on the host (`''`). */
  fetch(from: string, url: string, connectSeconds?: number): Promise<string>
}

/** For connections that must not come about: on one machine they would within a millisecond, however busy it is. */
export const briefly = 0.5

/** curl's words for: nothing came back in time, or there is no way. */
export const unreached = /^failed: curl: \((28|7)\)/

export const endpoint = (settings: Partial<EndpointSettings> = {}): EndpointSettings => settings as EndpointSettings

export async function startMachine(): Promise<TestMachine> {
  const folder = await tempDir()
  const host = await isolatedHost()
  const machine = await host.module<typeof import('./network-machine.ts')>(
    new URL('./network-machine.ts', import.meta.url),
  )
  await machine.start(folder)
  return {
    host,
    machine,
    folder,
    async call(method, path, body) {
      const data = body === undefined ? [] : ['-H', 'content-type: application/json', '-d', JSON.stringify(body)]
      const where = ['--unix-socket', `${folder}/engine.sock`, `http://engine${path}`]
      const { stdout } = await host.run('curl', ['-gsS', '-w', '\n%{http_code}', '-X', method, ...where, ...data])
      const [text = '', status] = stdout.split(/\n(?=\d+$)/)
      return { status: Number(status), body: text === '' ? undefined : JSON.parse(text) }
    },
    fetch(from, url, connectSeconds = 2) {
      const args = ['-gsS', '-m', '2', '--connect-timeout', String(connectSeconds), url]
      return from === '' ? machine.onHost('curl', ...args) : machine.inside(from, 'curl', ...args)
    },
  }
}
