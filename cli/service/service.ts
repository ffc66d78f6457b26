// ./atoll service: lets systemd start Atoll, keep it up and collect its log.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { ConfigError } from '@atoll/kernel/config/config-error'
import { CommandProblem, telling } from '../command-problem.ts'
import { loadAtollConfig } from '../config.ts'
import { root } from '../places.ts'
import { findProgram } from '../programs/search.ts'
import { chosenServices } from '../up/chosen-services.ts'
import { unitName, unitText } from './unit.ts'

interface InstallFlags {
  data?: string
  port?: string
  config?: string
  with?: string
  only?: string
  all?: boolean
  /** Write the unit here and do nothing else. */
  folder?: string
}

const slackSeconds = 15
const isRoot = (): boolean => process.getuid?.() === 0

/** For the whole machine where root installs it, else for this user. */
const unitFolder = (): string => (isRoot() ? '/etc/systemd/system' : join(homedir(), '.config', 'systemd', 'user'))

export const installService = (flags: InstallFlags): Promise<void> =>
  telling(async () => {
    const text = await unitOf(flags)
    const path = join(flags.folder ?? unitFolder(), unitName)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`Wrote ${path}`)
    if (flags.folder !== undefined) return
    if (!isSystemdThere()) {
      console.log(`systemd does not run here. Where it does: ${systemctlText('enable', '--now', unitName)}`)
      return
    }
    systemctl('daemon-reload')
    systemctl('enable', '--now', unitName)
    console.log('Atoll runs now and starts with the machine: ./atoll status, ./atoll logs -f')
    console.log(
      'Its first keys are not in its log; make your own: ./atoll keys create project, ./atoll keys create admin',
    )
    if (!isRoot()) console.log('To let it run while you are not logged in: loginctl enable-linger')
  })

export const uninstallService = (): Promise<void> =>
  telling(async () => {
    const path = join(unitFolder(), unitName)
    if (!existsSync(path)) throw new CommandProblem(`there is no ${path}: nothing was installed.`)
    if (isSystemdThere()) systemctl('disable', '--now', unitName)
    rmSync(path)
    if (isSystemdThere()) systemctl('daemon-reload')
    console.log(`Removed ${path}. The data is where it was.`)
  })

export const serviceStatus = (): Promise<void> =>
  telling(async () => {
    if (!existsSync(join(unitFolder(), unitName)))
      throw new CommandProblem('it is not installed: ./atoll service install')
    if (!isSystemdThere()) throw new CommandProblem('it is installed, but systemd does not run here.')
    const args = [...scope(), 'status', '--no-pager', unitName]
    process.exitCode = spawnSync('systemctl', args, { stdio: 'inherit' }).status ?? 1
  })

async function unitOf({ config: file, with: added, all, folder: _, ...flags }: InstallFlags): Promise<string> {
  const config = await loadAtollConfig({ file, env: process.env, flags: { ...flags } }).catch((error) => {
    throw error instanceof ConfigError
      ? new CommandProblem(`the configuration is wrong: ${error.problems.join('; ')}`)
      : error
  })
  const services = chosenServices(config.services, { with: added, all })
  // Everything else that this shell says of settings must be in a file: a service has a shell of its own.
  const args = ['--data', config.data, '--port', String(config.port), '--only', services.join(',')]
  if (file !== undefined) args.push('--config', resolve(file))
  const user = userOf(services)
  return unitText({
    ...{ program: join(root, 'atoll'), args, isUserUnit: !isRoot() },
    ...(user === undefined ? {} : { user }),
    stopSeconds: config.shutdown.graceSeconds + slackSeconds,
  })
}

/** Only containers need root: the rest runs as whoever called sudo. */
function userOf(services: readonly string[]): string | undefined {
  if (!isRoot() || services.includes('engine')) return undefined
  const { SUDO_USER: caller } = process.env
  return caller && caller !== userInfo().username ? caller : undefined
}

const scope = (): string[] => (isRoot() ? [] : ['--user'])
const systemctlText = (...args: string[]): string => ['systemctl', ...scope(), ...args].join(' ')
const isSystemdThere = (): boolean => existsSync('/run/systemd/system') && findProgram('systemctl') !== undefined

function systemctl(...args: string[]): void {
  const { status, stderr } = spawnSync('systemctl', [...scope(), ...args], { encoding: 'utf8' })
  if (status !== 0) throw new CommandProblem(`${systemctlText(...args)} failed: ${stderr.trim()}`)
}
