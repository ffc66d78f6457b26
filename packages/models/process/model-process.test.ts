import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { ModelProcess } from './model-process.ts'

const heartbeat = new URL('./heartbeat.ts', import.meta.url)

async function start(program: string, pingMs: number): Promise<ModelProcess<string, string>> {
  const file = join(await tempDir(), 'model.ts')
  writeFileSync(file, `import { answerPings } from '${heartbeat}'\nanswerPings()\n${program}`)
  return new ModelProcess({ entry: pathToFileURL(file), what: 'The model', pingMs })
}

it('ends a process that does not say it lives, and tells those who wait', async () => {
  const model = await start("process.send('begun'); for (;;) {}", 100)
  const ended = new Promise<Error>((resolve) => model.onEnd(resolve))
  expect(await ended).toMatchObject({ message: 'The model failed: it ended with SIGKILL', detail: { kind: 'failed' } })
})

it('leaves one alone that has nothing to do, and passes no pings on', async () => {
  const model = await start("process.on('message', (message) => message === 'hello' && process.send(message))", 1_000)
  const heard: string[] = []
  const answered = new Promise<void>((resolve) => {
    model.onMessage((message) => {
      heard.push(message)
      resolve()
    })
  })
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect(model.hasEnded).toBe(false)
  model.send('hello')
  await answered
  expect(heard).toEqual(['hello'])
  await model.stop()
})
