// The engine under testcontainers: a container that is waited for, reached by its mapped port, and gone afterwards.
import { GenericContainer, Network, Wait } from 'testcontainers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'

const lacks = lacking()
let server: EngineServer

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  process.env.DOCKER_HOST = server.env.DOCKER_HOST
  process.env.DOCKER_CONFIG = server.env.DOCKER_CONFIG
  process.env.TESTCONTAINERS_RYUK_DISABLED = 'true'
  // Published ports are on the engine's own machine, out of reach from here.
  process.env.TESTCONTAINERS_HOST_OVERRIDE = '127.0.0.1'
}, 120_000)

afterAll(async () => {
  await server?.stop()
}, 60_000)

describe.skipIf(lacks.length > 0)('testcontainers', { timeout: 60_000 }, () => {
  it('waits for a line of the log and maps a port', async () => {
    const script = 'echo hello > /www/index.html; sleep 0.3; echo now ready; exec httpd -f -h /www -p 8080'
    const container = await new GenericContainer('busybox:latest')
      .withCommand(['sh', '-c', script])
      .withExposedPorts(8080)
      .withEnvironment({ COLOR: 'blue' })
      .withCopyContentToContainer([{ content: 'copied', target: '/copied.txt' }])
      .withWaitStrategy(Wait.forLogMessage('now ready'))
      .start()
    const page = `http://127.0.0.1:${container.getMappedPort(8080)}/`
    expect((await server.host.run('busybox', ['wget', '-qO-', page])).stdout).toBe('hello\n')
    const ran = await container.exec(['sh', '-c', 'echo $COLOR; cat /copied.txt'])
    expect(ran).toMatchObject({ exitCode: 0, output: 'blue\ncopied' })
    await container.stop()
  })

  it('waits for a health check on a network of its own', async () => {
    const network = await new Network().start()
    const container = await new GenericContainer('busybox:latest')
      .withCommand(['sh', '-c', 'sleep 0.3; touch /tmp/well; exec top'])
      .withNetwork(network)
      .withNetworkAliases('somebody')
      .withHealthCheck({ test: ['CMD-SHELL', 'test -e /tmp/well'], interval: 200, retries: 50 })
      .withWaitStrategy(Wait.forHealthCheck())
      .start()
    const ran = await container.exec(['nslookup', 'somebody'])
    expect(ran.output).toContain(container.getIpAddress(network.getName()))
    await container.restart()
    await container.stop()
    await network.stop()
  })
})
