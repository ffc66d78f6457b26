// A swarm of four machines with the docker command: a stack, a failed update, a drained node, and a leader that is killed
// meanwhile. The transcript is kept in reports/swarm-nodes-tour.txt.
import { hasVxlan } from '@atoll/engine/swarm/testing/start-nodes'
import { addressOf, newWire, type Wire } from '@atoll/engine/swarm/testing/wire'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EngineServer, lacking, startEngineServer } from './engine-server.ts'
import { stackProject } from './stack-project.ts'
import { Transcript } from './transcript.ts'

const lacks = [...lacking('etcd', 'curl'), ...(hasVxlan ? [] : ['VXLAN'])]
const count = 4
let wire: Wire
let machines: EngineServer[] = []
let tours: Transcript[] = []
const on = (number: number): Transcript => {
  const tour = tours[number - 1]
  if (tour === undefined) throw new Error(`there is no machine ${number}`)
  return tour
}
const port = 8080
const lines = (said: string): string[] => said.split('\n').filter(Boolean)

const services = `  web:
    image: busybox
    command: ["httpd", "-f", "-p", "80", "-h", "/www"]
    stop_grace_period: 0s
    ports: ["${port}:80"]
    configs: [{ source: page, target: /www/index.html }]
    networks: [inside]
    deploy:
      replicas: 3
      update_config: { parallelism: 1, monitor: 1s, failure_action: rollback }
      rollback_config: { parallelism: 0, monitor: 1s }
      restart_policy: { delay: 500ms }
  worker:
    image: busybox
    command: ["sh", "-c", "while sleep 1; do wget -qO- http://web/; done"]
    stop_grace_period: 0s
    networks: [inside]
    deploy: { replicas: 2 }
  agent:
    image: busybox
    command: ["sleep", "86400"]
    stop_grace_period: 0s
    secrets: [password]
    networks: [inside]
    deploy: { mode: global }
`

beforeAll(async () => {
  if (lacks.length > 0) return
  wire = await newWire()
  machines = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      startEngineServer({}, undefined, {
        hostname: `node${index + 1}`,
        prepare: (host) => wire.plugIn(host, index + 1),
      }),
    ),
  )
  const [first] = machines as [EngineServer]
  const tour = new Transcript(first, 'node1$')
  tours = machines.map((machine, index) => (index === 0 ? tour : tour.at(machine, `node${index + 1}$`)))
}, 240_000)

afterAll(async () => {
  tours[0]?.write('swarm-nodes-tour.txt')
  await Promise.allSettled(tours.map((tour) => tour.docker('swarm', 'leave', '--force')))
  await Promise.allSettled(machines.map((machine) => machine.stop()))
  await wire?.stop()
}, 120_000)

const running = (by: Transcript, service: string, tasks: number) =>
  by.until(
    (said) => lines(said).filter((line) => / Running /.test(line)).length === tasks,
    ...['service', 'ps', '--filter', 'desired-state=running'],
    ...['--format', '{{.Name}} on {{.Node}}: {{.CurrentState}} {{.Error}}', service],
  )
const nodes = (by: Transcript, isRight: (said: string) => boolean) =>
  by.until(isRight, 'node', 'ls', '--format', 'table {{.Hostname}}\t{{.Status}}\t{{.Availability}}\t{{.ManagerStatus}}')

describe.skipIf(lacks.length > 0)('a swarm of four machines with the docker command', { timeout: 180_000 }, () => {
  it('begins on one, and three join it', async () => {
    const first = on(1)
    first.title('swarm init and three joins')
    const own = ['--advertise-addr', addressOf(1), '--dispatcher-heartbeat', '2s']
    expect(await first.docker('swarm', 'init', ...own)).toContain('Swarm initialized')
    const tokens = {
      manager: await first.docker('swarm', 'join-token', '-q', 'manager'),
      worker: await first.docker('swarm', 'join-token', '-q', 'worker'),
    }
    for (const [number, token] of [
      [2, tokens.manager],
      [3, tokens.manager],
      [4, tokens.worker],
    ] as const) {
      const said = await on(number).docker('swarm', 'join', '--token', token, `${addressOf(1)}:2377`)
      expect(said).toContain('This node joined a swarm as a')
    }
    const areThere = (said: string) => said.match(/Reachable/g)?.length === 2 && /node4 +Ready +Active/.test(said)
    expect(await nodes(first, areThere)).toMatch(/node1 +Ready +Active +Leader/)
  })

  it('deploys a stack of three services on all of them, and changes the size of one', async () => {
    const first = on(1)
    first.title('stack deploy and scale')
    const file = stackProject(machines[0]?.folder ?? '', services)
    await first.docker('stack', 'deploy', '--compose-file', file, 'demo')
    await running(first, 'demo_web', 3)
    await running(first, 'demo_worker', 2)
    await running(first, 'demo_agent', count)
    const listed = await first.docker(
      'stack',
      'services',
      '--format',
      'table {{.Name}}\t{{.Mode}}\t{{.Replicas}}',
      'demo',
    )
    expect(listed).toMatch(/demo_agent +global +4\/4/)
    await first.docker('service', 'scale', '--detach', 'demo_web=5')
    await running(first, 'demo_web', 5)
    for (const number of [2, 4]) {
      expect(await on(number).onHost('curl', '-sS', '--retry', '5', `http://${addressOf(number)}:${port}/`)).toBe(
        'a page of the stack',
      )
    }
  })

  it('goes back by itself when the tasks of an update fail', async () => {
    const second = on(2)
    second.title('an update that fails')
    await second.docker('service', 'update', '--detach', '--args', 'sh -c "exit 3"', 'demo_web')
    await second.until(
      (said) => said.startsWith('rollback_completed'),
      ...['service', 'inspect', '--format', '{{.UpdateStatus.State}}: {{.UpdateStatus.Message}}', 'demo_web'],
    )
    await running(second, 'demo_web', 5)
    const failed = await second.docker(
      ...[
        'service',
        'ps',
        '--filter',
        'desired-state=shutdown',
        '--format',
        '{{.CurrentState}} {{.Error}}',
        'demo_web',
      ],
    )
    expect(failed).toMatch(/Failed .*non-zero exit \(3\)/)
    const args = '{{.Spec.TaskTemplate.ContainerSpec.Args}}'
    expect(await second.docker('service', 'inspect', '--format', args, 'demo_web')).toBe('[httpd -f -p 80 -h /www]')
  })

  it('empties a node that is drained while its leader is killed, and takes that one back', async () => {
    const second = on(2)
    second.title('a drained node, and the leader killed meanwhile')
    await on(1).docker('node', 'update', '--availability', 'drain', 'node4')
    second.remark('(kill -9 of the engine on node1, which leads)')
    await machines[0]?.end('SIGKILL')
    await nodes(second, (said) => /node1 +Down +Active +Unreachable/.test(said) && /Leader/.test(said))
    await second.until(
      (said) => said === '',
      ...['node', 'ps', '--filter', 'desired-state=running', '--format', '{{.Name}} {{.CurrentState}}', 'node4'],
    )
    const placed = await running(second, 'demo_web', 5)
    expect(placed).not.toMatch(/on node[14]:/)
    expect(await on(4).onHost('curl', '-sS', '--retry', '5', `http://${addressOf(4)}:${port}/`)).toBe(
      'a page of the stack',
    )
    second.remark('(node1 is started again)')
    await machines[0]?.start()
    await nodes(second, (said) => /node1 +Ready +Active +Reachable/.test(said))
    await second.docker('node', 'update', '--availability', 'active', 'node4')
    await running(on(1), 'demo_agent', count)
    await second.docker('stack', 'rm', 'demo')
    for (const number of [1, 2, 3, 4]) await on(number).until((said) => said === '', 'ps', '--all', '--quiet')
  })
})
