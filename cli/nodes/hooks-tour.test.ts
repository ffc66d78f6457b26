// A tour of the gateway: GitHub tells of a push, a mapping makes a task of it, the built-in model answers, and the
// answer is heard on IRC. The transcript is kept in reports/hooks-tour.txt.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { githubPush } from '@atoll/hooks/attacks/testing/github-push'
import { ircListener, type Listener } from '@atoll/hooks/channels/testing/heard'
import { type Server, startIrcServer } from '@atoll/hooks/channels/testing/servers'
import { lacking } from '@atoll/testkit/lacking'
import { tempDir } from '@atoll/testkit/temp-dir'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { root } from '../places.ts'
import { ServerProcess } from './server-process.ts'

const lacks = lacking('ngircd')
const secret = 'the-secret-that-github-knows'
const adminToken = 'admin-token-of-the-tour'
const patience = { timeout: 60_000, interval: 100 }

const configFor = (ircPort: number): object => ({
  hooks: {
    ...{ token: 'hook-token-of-the-tour', adminToken, port: 0 },
    mappings: [
      {
        ...{ id: 'github', match: { path: 'github' }, name: 'Push to {{repository.full_name}}' },
        ...{ sessionKey: 'hook:github:{{repository.full_name}}', channel: 'irc', to: '#builds' },
        messageTemplate: '{{pusher.name}} pushed to {{ref}}: "{{commits[0].message}}". Who pushed?',
        signature: { scheme: 'github', secrets: [secret] },
      },
    ],
  },
  channels: {
    allowPrivateAddresses: ['127.0.0.1'],
    irc: { host: '127.0.0.1', port: ircPort, tls: false, nick: 'atoll' },
  },
})

describe.skipIf(lacks !== '')(`a tour of the gateway${lacks && `: this machine lacks ${lacks}`}`, () => {
  let irc: Server
  let listener: Listener
  let server: ServerProcess
  let url: string
  const transcript: string[] = []
  beforeAll(async () => {
    irc = await startIrcServer()
    listener = await ircListener(irc.port, 'grace', '#builds')
    const folder = await tempDir()
    const config = join(folder, 'atoll.json')
    writeFileSync(config, JSON.stringify(configFor(irc.port)))
    const args = ['--only', 'platform,hooks', '--port', '0', '--data', join(folder, 'data'), '--config', config]
    server = new ServerProcess({ args, env: { ATOLL_LOG_LEVEL: 'warn' } })
    url = await server.ready('hooks')
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
    await listener?.close()
    await irc?.stop()
    mkdirSync(join(root, 'reports'), { recursive: true })
    writeFileSync(join(root, 'reports', 'hooks-tour.txt'), `${transcript.join('\n')}\n`)
  })

  /** Follows deliveries as an operator does; what it has printed so far. */
  function startTail(): { lines(): string[]; stop(): Promise<void> } {
    const env = { ...process.env, ATOLL_HOOKS_URL: url, ATOLL_HOOKS_ADMIN_TOKEN: adminToken }
    const child = spawn(process.execPath, [join(root, 'cli', 'main.ts'), 'hooks', 'tail'], { env })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (more) => {
      text += more
    })
    const closed = once(child, 'close')
    const stop = async () => {
      child.kill('SIGINT')
      await closed
    }
    return { lines: () => text.split('\n').filter((line) => line !== ''), stop }
  }

  async function replyOf(id: string): Promise<string> {
    const headers = { authorization: `Bearer ${adminToken}` }
    const response = await fetch(`${url}/hooks-admin/deliveries/${id}`, { headers })
    return ((await response.json()) as { outcome: { reply: string } }).outcome.reply
  }

  it('hears of a push and tells people on IRC (HOOK-017, HOOK-018, HOOK-070, HOOK-072, HOOK-073, HOOK-076)', {
    timeout: 180_000,
  }, async () => {
    const tail = startTail()
    const { body, headers } = await githubPush(secret, 'a1b2c3', 'Turn the lamp faster')
    const response = await fetch(`${url}/hooks/github`, { method: 'POST', headers, body })
    const answer = await response.text()
    const told = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    transcript.push('# GitHub tells of a push', 'POST /hooks/github', ...told, '', body, '')
    transcript.push('# The answer', `${response.status} ${answer}`, '')
    expect({ status: response.status, ...JSON.parse(answer) }).toEqual({
      ...{ status: 202, ok: true, runId: expect.stringMatching(/^dlv_/) },
    })
    await vi.waitFor(() => expect(tail.lines().at(-1)).toMatch(/ {2}succeeded {2}github {2}Push to reef/), patience)
    await tail.stop()
    transcript.push('# ./atoll hooks tail', ...tail.lines(), '')
    const reply = await replyOf(JSON.parse(answer).runId)
    expect(reply).toMatch(/\S/)
    const lines = reply.split('\n').filter((line) => line.trim() !== '')
    const spoken = lines.map((line) => `#builds ${line}`)
    await vi.waitFor(() => expect(listener.heard).toEqual(spoken), patience)
    transcript.push('# Heard by grace on IRC', ...listener.heard)
  })
})
