import { once } from 'node:events'
import { connect } from 'node:net'
import { tempDir } from '@atoll/testkit/temp-dir'
import { expect, it } from 'vitest'
import { ask } from './ask.ts'
import { serveControl } from './serve.ts'
import { socketPathIn } from './socket-path.ts'

it('hangs up on who never ends the line, and answers the next', async () => {
  const folder = await tempDir()
  const stop = await serveControl(folder, { echo: async (args) => args })
  const { path, release } = socketPathIn(folder)
  const socket = connect(path)
  socket.on('error', () => undefined) // it is hung up on while it writes
  await once(socket, 'connect')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  for (let megabytes = 0; megabytes < 4; megabytes++) socket.write('x'.repeat(1_000_000))
  await closed
  expect(await ask(folder, 'echo', 'x'.repeat(100_000))).toHaveLength(100_000)
  release()
  stop()
})
