// RUN: the command, what it finds around it, and what is mounted for it.
import { writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import type { HostSettings } from '../resources/containers/schema.ts'
import { cacheKey } from './cache-key.ts'
import type { Run } from './dockerfile/dockerfile.ts'
import { chomped, readHeredocMark } from './dockerfile/heredocs.ts'
import { BuildFailure } from './failure.ts'
import type { BuildOptions } from './options.ts'
import { type Mount, planMount, type StepMount } from './run-mounts.ts'
import type { RunParts } from './run-parts.ts'
import { isProxyArg } from './stage-state.ts'

export interface PlannedRun {
  argv: string[]
  env: string[]
  key: string
  hostConfig: HostSettings
  createdBy: string
  mounts: StepMount[]
}

export async function planRun(run: Run, parts: RunParts): Promise<PlannedRun> {
  const { state, options } = parts
  if (run.security === 'insecure') throw new BuildFailure('RUN --security=insecure is not allowed by this engine')
  const script = await scriptOf(run, parts)
  const mounts = await Promise.all(run.mounts.map((mount, at) => planMount(mount, at, parts)))
  const network = run.network === '' || run.network === 'default' ? options.networkMode : run.network
  const declared = state.argVariables()
  const proxies = proxyVariables(options).filter(([name]) => !state.args.has(name))
  const kept = declared.filter((line) => !isProxyArg(line.split('=', 1)[0] ?? ''))
  const { config } = state
  return {
    argv: script.argv,
    env: [...declared, ...proxies.map(([name, value]) => `${name}=${value}`)],
    key: cacheKey('run', {
      ...{ on: state.chainId, argv: script.argv, script: script.file?.content, network },
      ...{ env: config.Env ?? [], args: kept.toSorted(), user: config.User ?? '', folder: state.workingDir },
      ...{ mounts: mounts.map(({ identity }) => identity), hosts: options.extraHosts },
    }),
    hostConfig: {
      ...options.limits,
      NetworkMode: network === '' ? 'default' : network,
      ExtraHosts: [...options.extraHosts],
      LogConfig: { Type: 'none', Config: {} },
      Mounts: script.mount === undefined ? [] : [script.mount],
    },
    mounts,
    createdBy: [
      ...(kept.length > 0 ? [`|${kept.length}`, ...kept] : []),
      ...script.argv,
      ...inputsOf(script, mounts),
    ].join(' '),
  }
}

/** Programs know them in capitals or in small letters: BuildKit gives them both. */
function proxyVariables({ buildArgs, isBuildKit = false }: BuildOptions): [string, string][] {
  const given = Object.entries(buildArgs).filter(
    (pair): pair is [string, string] => isProxyArg(pair[0]) && pair[1] !== null,
  )
  const others = given.flatMap(([name, value]): [string, string][] => [
    [name.toUpperCase(), value],
    [name.toLowerCase(), value],
  ])
  return [...new Map([...(isBuildKit ? others : []), ...given])]
}

/** An image's history must tell steps apart that say the same and are given other files. */
function inputsOf({ file }: Script, mounts: readonly StepMount[]): string[] {
  if (file === undefined && mounts.length === 0) return []
  const inputs = cacheKey('inputs', [file?.content, mounts.map(({ identity }) => identity)])
  return [`# inputs ${inputs.slice('sha256:'.length).slice(0, 16)}`]
}

interface Script {
  argv: string[]
  file?: { content: string }
  mount?: Mount
}

/** A here-document is the script itself, or goes to the shell along with the line. */
async function scriptOf({ command }: Run, { state, workspace }: RunParts): Promise<Script> {
  if ('exec' in command) return { argv: command.exec }
  const [first] = command.heredocs
  if (first === undefined) return { argv: [...state.shell, command.shell] }
  if (readHeredocMark(command.shell.replace(/^(\d*<<-?)\s+/, '$1')) === undefined) {
    const documents = command.heredocs.map(({ name, content }) => `\n${content}${name}`)
    return { argv: [...state.shell, command.shell + documents.join('')] }
  }
  const content = chomped(first)
  if (!content.startsWith('#!')) return { argv: [...state.shell, content] }
  const path = join(await workspace.folder('script'), 'script')
  await writeFile(path, content, { mode: 0o755 })
  const inside = `/dev/pipes/${posix.basename(first.name)}`
  return { argv: [inside], file: { content }, mount: { Type: 'bind', Source: path, Target: inside, ReadOnly: true } }
}
