// Two services with docker-compose, from the first `up` to the last `down`. Transcript in reports/compose-tour.txt.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { Transcript } from './transcript.ts'

const project = `
version: "2.4"
services:
  shop:
    image: busybox
    command: sh -c "echo open > /goods/sign && sleep 0.5 && touch /tmp/well && exec httpd -f -v -h /goods -p 80"
    volumes: ["goods:/goods"]
    networks: {street: {aliases: [market]}}
    environment: {COLOR: blue}
    healthcheck: {test: "test -e /tmp/well", interval: 200ms, retries: 50}
    stop_signal: SIGKILL
  buyer:
    image: busybox
    command: sh -c "wget -qO- http://market/sign; exec sleep 1000"
    depends_on: {shop: {condition: service_healthy}}
    networks: [street]
    stop_signal: SIGKILL
networks: {street: {}}
volumes: {goods: {}}
`

const lacks = lacking('docker-compose')
let server: EngineServer
let tour: Transcript
const compose = (...args: string[]): Promise<string> =>
  tour.run('docker-compose', ['--ansi', 'never', ...args], { cwd: join(server.folder, 'town'), timeoutMs: 60_000 })
const docker = (...args: string[]): Promise<string> => tour.docker(...args)

beforeAll(async () => {
  if (lacks.length > 0) return
  server = await startEngineServer()
  tour = new Transcript(server)
  mkdirSync(join(server.folder, 'town'))
  writeFileSync(join(server.folder, 'town/docker-compose.yml'), project)
}, 120_000)

afterAll(async () => {
  tour?.write('compose-tour.txt')
  await server?.stop()
}, 60_000)

describe.skipIf(lacks.length > 0)('docker-compose', { timeout: 90_000 }, () => {
  it('brings services up in the order of their dependencies', async () => {
    tour.title(`up, ps, logs, exec of this project:\n${project}`)
    const said = await compose('up', '-d')
    expect(said).toMatch(/Creating network "town_street"[\s\S]*Creating volume "town_goods"/)
    expect(said.indexOf('Creating town_buyer_1 ... done')).toBeGreaterThan(
      said.indexOf('Creating town_shop_1 ... done'),
    )
    const rows = (await compose('ps')).split('\n').filter((row) => row.startsWith('town_'))
    expect(rows.map((row) => row.split(/ {2,}/)[0]).sort()).toEqual(['town_buyer_1', 'town_shop_1'])
    expect(rows.find((row) => row.startsWith('town_shop_1'))).toMatch(/Up \(healthy\)/)
    await tour.until((log) => log.includes('open'), 'logs', 'town_buyer_1')
    expect(await compose('logs', '--no-color')).toMatch(/^buyer_1 +\| open$/m)
    expect(await compose('exec', '-T', 'shop', 'sh', '-c', 'echo $COLOR; cat /goods/sign')).toBe('blue\nopen')
    expect(await compose('exec', '-T', 'buyer', 'wget', '-qO-', 'http://shop/sign')).toBe('open')
    expect(await compose('top', 'buyer')).toContain('sleep 1000')
  })

  it('changes only what changed on a second up', async () => {
    tour.title('up again, scale')
    expect(await compose('up', '-d')).toBe('town_shop_1 is up-to-date\ntown_buyer_1 is up-to-date')
    await compose('up', '-d', '--scale', 'buyer=3', '--no-recreate')
    const counted = ['ps', '--filter', 'label=com.docker.compose.service=buyer', '--format', '{{.Names}}']
    expect((await docker(...counted)).split('\n').sort()).toEqual(['town_buyer_1', 'town_buyer_2', 'town_buyer_3'])
    await compose('scale', 'buyer=1')
    expect(await docker(...counted)).toBe('town_buyer_1')
  })

  it('stops, starts, runs once, and takes everything away', async () => {
    tour.title('stop, start, run, down')
    await compose('stop')
    expect(await docker('ps', '--quiet')).toBe('')
    await compose('start')
    expect((await docker('ps', '--quiet')).split('\n')).toHaveLength(2)
    expect(await compose('run', '--rm', '-T', '--no-deps', 'shop', 'cat', '/goods/sign')).toMatch(/open$/)
    const said = await compose('down', '-v')
    expect(said).toMatch(/Removing network town_street\n?[\s\S]*Removing volume town_goods/)
    expect(await docker('ps', '--all', '--quiet')).toBe('')
    expect(await docker('network', 'ls', '--filter', 'name=town', '--quiet')).toBe('')
    expect(await docker('volume', 'ls', '--quiet')).toBe('')
  })
})
