// For tests: an Atoll that was installed as a package, in the hands of somebody who has nothing else of it.
import { spawnSync } from 'node:child_process'
import { expect } from 'vitest'
import type { Ended } from '../../run-atoll.ts'
import type { PackageTranscript } from './package-transcript.ts'

export interface InstalledAtoll {
  /** What is called: a path, or a program with words before those of the command. */
  command: readonly [string, ...string[]]
  env: Record<string, string>
  transcript: PackageTranscript
}

export function runInstalled({ command, env, transcript }: InstalledAtoll, args: string[]): Ended {
  const [program, ...words] = command
  const { status, stdout, stderr } = spawnSync(program, [...words, ...args], { cwd: '/', env, encoding: 'utf8' })
  transcript.ran([...command, ...args], stdout + stderr, status)
  return { code: status, out: stdout, err: stderr }
}

interface Detached {
  url: string
  key: string
}

/** Starts the platform in the background. */
export function startInstalled(atoll: InstalledAtoll, args: string[] = []): Detached {
  const { code, out, err } = runInstalled(atoll, ['up', '--only', 'platform', '--port', '0', '--detach', ...args])
  expect({ code, err }, out).toEqual({ code: 0, err: '' })
  const [, url = ''] = /OPENAI_BASE_URL=(\S+)/.exec(out) ?? []
  const [, key = ''] = /OPENAI_API_KEY=(\S+)/.exec(out) ?? []
  return { url, key }
}

export async function expectChat({ transcript }: InstalledAtoll, { url, key }: Detached): Promise<void> {
  const question = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 10 }
  const asked = JSON.stringify(question)
  const answer = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: asked,
  })
  const said = await answer.text()
  transcript.ran(['POST', `${url}/chat/completions`, asked], `${answer.status} ${said}`)
  const body = JSON.parse(said) as { choices: { message: { content: string } }[] }
  expect(body).toMatchObject({ model: 'atoll-chat', choices: [{ message: { role: 'assistant' } }] })
  expect(body.choices[0]?.message.content.trim()).toMatch(/./)
}
