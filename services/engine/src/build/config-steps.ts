// Instructions that change nothing but an image's configuration.
import { posix } from 'node:path'
import { invalidParameter } from '../errors.ts'
import type { Arg, CommandLine, Copy, Instruction, Run } from './dockerfile/dockerfile.ts'
import { expandWord, expandWords } from './dockerfile/expand.ts'
import { Wrong } from './dockerfile/problem.ts'
import type { TemplateForm } from './dockerfile/template.ts'
import type { Config, StageState } from './stage-state.ts'

export type ConfigInstruction = Exclude<Instruction, Arg | Copy | Run | { kind: 'WORKDIR' }>

/** Returns what the history says of it. */
export function applyConfig(state: StageState, instruction: ConfigInstruction, form: TemplateForm): string {
  const expand = (text: string) => expandWord(text, state.values, form)
  const { config } = state
  switch (instruction.kind) {
    case 'ENV': {
      // All of a line see the values from before it.
      const pairs = instruction.pairs.map(({ key, value }) => [expand(key), expand(value)] as const)
      for (const [key, value] of pairs) state.setVariable(key, value)
      return `ENV ${pairs.map(([key, value]) => `${key}=${value}`).join(' ')}`
    }
    case 'LABEL': {
      const pairs = instruction.pairs.map(({ key, value }) => [expand(key), expand(value)] as const)
      config.Labels = { ...config.Labels, ...Object.fromEntries(pairs) }
      return `LABEL ${pairs.map(([key, value]) => `${key}=${value}`).join(' ')}`
    }
    case 'EXPOSE': {
      const ports = instruction.values.flatMap((value) => expandWords(value, state.values, form)).flatMap(portsOf)
      config.ExposedPorts = { ...config.ExposedPorts, ...emptyObjects(ports) }
      return `EXPOSE ${ports.join(' ')}`
    }
    case 'VOLUME': {
      const paths = instruction.values.map(expand).filter(Boolean)
      config.Volumes = { ...config.Volumes, ...emptyObjects(paths) }
      return `VOLUME [${paths.join(' ')}]`
    }
    default:
      return applyRest(state, instruction, expand)
  }
}

type RestInstruction = Exclude<ConfigInstruction, { kind: 'ENV' | 'LABEL' | 'EXPOSE' | 'VOLUME' }>

function applyRest(state: StageState, instruction: RestInstruction, expand: (text: string) => string): string {
  const { config } = state
  switch (instruction.kind) {
    case 'CMD':
      config.Cmd = commandOf(instruction.command, state.shell)
      state.hasOwnCommand = true
      return `CMD ${JSON.stringify(config.Cmd)}`
    case 'ENTRYPOINT':
      config.Entrypoint = commandOf(instruction.command, state.shell)
      // The command of a base image belongs to its own entry point.
      if (!state.hasOwnCommand) config.Cmd = null
      return `ENTRYPOINT ${JSON.stringify(config.Entrypoint)}`
    case 'USER':
      config.User = expand(instruction.value)
      return `USER ${config.User}`
    case 'STOPSIGNAL':
      config.StopSignal = signalOf(expand(instruction.value))
      return `STOPSIGNAL ${config.StopSignal}`
    case 'SHELL':
      config.Shell = instruction.values
      return `SHELL ${JSON.stringify(instruction.values)}`
    case 'MAINTAINER':
      state.author = instruction.value
      return `MAINTAINER ${instruction.value}`
    case 'ONBUILD':
      config.OnBuild = [...(config.OnBuild ?? []), instruction.trigger]
      return `ONBUILD ${instruction.trigger}`
    case 'HEALTHCHECK':
      config.Healthcheck = healthcheckOf(instruction)
      return `HEALTHCHECK ${JSON.stringify(config.Healthcheck.Test)}`
  }
}

/** What ARG means for the steps that follow it. */
export function applyArgs(
  state: StageState,
  { args }: Arg,
  form: TemplateForm,
  given: (name: string) => string | undefined,
): string {
  const told = args.map(({ key, value }) => {
    const usual = value === undefined ? undefined : expandWord(value, state.values, form)
    const meant = given(key) ?? usual
    if (meant !== undefined) state.args.set(key, meant)
    // What the caller gave is nobody else's business, unless a step uses it.
    return usual === undefined ? key : `${key}=${usual}`
  })
  return `ARG ${told.join(' ')}`
}

export const workingFolder = (before: string, path: string): string => {
  const whole = posix.resolve(before === '' ? '/' : before, path)
  return posix.normalize(whole)
}

const commandOf = (command: CommandLine, shell: readonly string[]): string[] =>
  'exec' in command ? command.exec : [...shell, command.shell]

const emptyObjects = (names: readonly string[]): Record<string, object> =>
  Object.fromEntries(names.map((name) => [name, {}]))

const maxPort = 65_535

function portsOf(word: string): string[] {
  const [, first, last = first, protocol = 'tcp'] = /^(\d{1,5})(?:-(\d{1,5}))?(?:\/([A-Za-z]+))?$/.exec(word) ?? []
  const [low, high] = [Number(first), Number(last)]
  const kind = protocol.toLowerCase()
  if (first === undefined || low < 1 || high > maxPort || high < low || !['tcp', 'udp', 'sctp'].includes(kind)) {
    throw new Wrong(`invalid containerPort: ${word}`)
  }
  return Array.from({ length: high - low + 1 }, (_, at) => `${low + at}/${kind}`)
}

function signalOf(text: string): string {
  if (!/^(\d{1,2}|(SIG)?[A-Z][A-Z0-9+-]{1,15})$/i.test(text)) throw invalidParameter(`invalid signal: ${text}`)
  return text
}

function healthcheckOf(check: Extract<Instruction, { kind: 'HEALTHCHECK' }>): NonNullable<Config['Healthcheck']> {
  const { test, interval, timeout, startPeriod, startInterval, retries } = check
  const given = {
    ...{ Interval: interval, Timeout: timeout, StartPeriod: startPeriod, StartInterval: startInterval },
    Retries: retries,
  }
  return { Test: test, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== 0)) }
}
