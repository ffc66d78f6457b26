// Machines of a group as network namespaces on one bridge. Runs inside a namespace of its own (see isolated.ts), where
// the bridge stands for the switch, and everything that is not a node listens.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Of whatever is no node. */
export const commonAddress = '10.99.0.1'

const keepers: ChildProcess[] = []

export async function makeSwitch(): Promise<void> {
  await run('ip', ['link', 'set', 'lo', 'up'])
  await run('ip', ['link', 'add', 'switch', 'type', 'bridge'])
  await run('ip', ['addr', 'add', `${commonAddress}/24`, 'dev', 'switch'])
  await run('ip', ['link', 'set', 'switch', 'up'])
}

/** One machine, its link to the switch, and what can happen to that. */
export class Machine {
  readonly address: string
  /** Puts a command onto this machine. */
  readonly enter: readonly string[]
  readonly #link: string
  #isSlow = false

  private constructor(number: number, keeper: number) {
    this.address = `10.99.0.${10 + number}`
    this.enter = ['nsenter', `--net=/proc/${keeper}/ns/net`]
    this.#link = `node${number}`
  }

  static async make(number: number): Promise<Machine> {
    const keeper = spawn('unshare', ['--net', 'sh', '-c', 'echo ready; read -r forever'], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    keepers.push(keeper)
    await once(keeper.stdout, 'data')
    const machine = new Machine(number, keeper.pid ?? 0)
    const link = machine.#link
    await run('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(keeper.pid)])
    await run('ip', ['link', 'set', link, 'master', 'switch', 'up'])
    await machine.#ip('link set lo up')
    await machine.#ip(`addr add ${machine.address}/24 dev eth0`)
    await machine.#ip('link set eth0 up')
    await machine.#nft('add table inet faults')
    await machine.#nft('add chain inet faults in { type filter hook input priority 0 ; }')
    await machine.#nft('add chain inet faults out { type filter hook output priority 0 ; }')
    return machine
  }

  /** Packets are dropped without a word, in both directions; of one port elsewhere, where one is given. */
  async cutOff(port?: number): Promise<void> {
    await this.#nft(`add rule inet faults in ${port === undefined ? 'iifname eth0' : `tcp sport ${port}`} drop`)
    await this.#nft(`add rule inet faults out ${port === undefined ? 'oifname eth0' : `tcp dport ${port}`} drop`)
  }

  async loseOneIn(packets: number): Promise<void> {
    await this.#nft(`add rule inet faults in iifname eth0 numgen random mod ${packets} == 0 drop`)
    await this.#nft(`add rule inet faults out oifname eth0 numgen random mod ${packets} == 0 drop`)
  }

  async slowDown(rate: string): Promise<void> {
    const shape = ['root', 'tbf', 'rate', rate, 'burst', '16kbit', 'latency', '200ms']
    this.#isSlow = true
    await run(this.enter[0] ?? '', [...this.enter.slice(1), 'tc', 'qdisc', 'add', 'dev', 'eth0', ...shape])
    await run('tc', ['qdisc', 'add', 'dev', this.#link, ...shape])
  }

  /** The link is whole again. */
  async mend(): Promise<void> {
    await this.#nft('flush table inet faults')
    if (!this.#isSlow) return
    await run(this.enter[0] ?? '', [...this.enter.slice(1), 'tc', 'qdisc', 'del', 'dev', 'eth0', 'root'])
    await run('tc', ['qdisc', 'del', 'dev', this.#link, 'root'])
    this.#isSlow = false
  }

  #ip(line: string): Promise<unknown> {
    return run(this.enter[0] ?? '', [...this.enter.slice(1), 'ip', ...line.split(' ')])
  }

  #nft(line: string): Promise<unknown> {
    return run(this.enter[0] ?? '', [...this.enter.slice(1), 'nft', line])
  }
}

/** They would keep this process from its end. */
export function leaveMachines(): void {
  for (const keeper of keepers.splice(0)) keeper.stdin?.end()
}
