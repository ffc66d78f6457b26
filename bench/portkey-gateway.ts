// The peer of the upstream benchmark: another gateway that runs on Node, set up to pass requests to the same server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { freePort } from '@atoll/testkit/free-port'
import { installPeer } from './peers.ts'

const name = '@portkey-ai/gateway'
const version = '1.15.2'
const startTimeoutMs = 20_000
const pollMs = 100

interface Gateway {
  name: string
  url: string
  headers: Record<string, string>
  close(): Promise<void>
}

export async function startGateway(upstream: string): Promise<Gateway> {
  const folder = await installPeer(name, version)
  const port = await freePort()
  const script = join(folder, 'node_modules', name, 'build', 'start-server.js')
  const child = spawn(process.execPath, [script, '--headless', `--port=${port}`], {
    stdio: 'ignore',
    env: { ...process.env, NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
  })
  const url = `http://127.0.0.1:${port}`
  const deadline = performance.now() + startTimeoutMs
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${name}@${version} did not start`)
    }
    await setTimeout(pollMs)
  }
  return {
    name: `${name} ${version}`,
    url: `${url}/v1`,
    headers: { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': upstream },
    async close() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}
