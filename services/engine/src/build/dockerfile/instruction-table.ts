// Each instruction's own rules.
import type {
  Arg,
  CommandLine,
  Copy,
  CopySource,
  Healthcheck,
  Heredoc,
  Instruction,
  Pair,
  RunMount,
} from './dockerfile.ts'
import { readDuration } from './durations.ts'
import { checkWord } from './expand.ts'
import type { FlagKind, Flags } from './flags.ts'
import { chomped, readHeredocMark } from './heredocs.ts'
import { Wrong } from './problem.ts'
import { readRunMount } from './run-mount.ts'
import type { TemplateForm } from './template.ts'
import { cutWords, readJsonForm } from './words.ts'

/** What stands after the name of an instruction. */
export interface Given {
  name: string
  flags: Flags
  rest: string
  heredocs: Heredoc[]
  form: TemplateForm
}

type Unplaced<I> = I extends Instruction ? Omit<I, 'place' | 'endLine' | 'text'> : never
export type ReadInstruction = Unplaced<Instruction>

interface Rule {
  flags?: Readonly<Record<string, FlagKind>>
  read(given: Given): ReadInstruction
}

const copyFlags: Readonly<Record<string, FlagKind>> = { chown: 'text', chmod: 'text', link: 'switch', exclude: 'list' }

export const instructionTable: Readonly<Record<string, Rule>> = {
  ADD: {
    flags: { ...copyFlags, checksum: 'text', 'keep-git-dir': 'switch', unpack: 'switch' },
    read: (given) => readCopy('ADD', given),
  },
  ARG: { read: readArg },
  CMD: { read: (given) => ({ kind: 'CMD', command: readCommand(given) }) },
  COPY: { flags: { ...copyFlags, from: 'text', parents: 'switch' }, read: (given) => readCopy('COPY', given) },
  ENTRYPOINT: { read: (given) => ({ kind: 'ENTRYPOINT', command: readCommand(given) }) },
  ENV: { read: (given) => ({ kind: 'ENV', pairs: readPairs(given) }) },
  EXPOSE: { read: (given) => ({ kind: 'EXPOSE', values: readList(given) }) },
  HEALTHCHECK: {
    flags: { interval: 'text', timeout: 'text', 'start-period': 'text', 'start-interval': 'text', retries: 'text' },
    read: readHealthcheck,
  },
  LABEL: { read: (given) => ({ kind: 'LABEL', pairs: readPairs(given) }) },
  MAINTAINER: { read: ({ rest }) => ({ kind: 'MAINTAINER', value: oneArgument('MAINTAINER', rest) }) },
  ONBUILD: { read: readTrigger },
  RUN: { flags: { mount: 'list', network: 'text', security: 'text' }, read: readRun },
  SHELL: { read: readShell },
  STOPSIGNAL: { read: (given) => readWord('STOPSIGNAL', given) },
  USER: { read: (given) => readWord('USER', given) },
  VOLUME: { read: (given) => ({ kind: 'VOLUME', values: readList(given) }) },
  WORKDIR: { read: (given) => readWord('WORKDIR', given) },
}

function oneArgument(name: string, rest: string): string {
  if (rest === '') throw new Wrong(`${name} requires exactly one argument`)
  return rest
}

function atLeastOne(name: string, rest: string): void {
  if (rest === '') throw new Wrong(`${name} requires at least one argument`)
}

function readWord(kind: 'WORKDIR' | 'USER' | 'STOPSIGNAL', { rest, form }: Given): ReadInstruction {
  checkWord(oneArgument(kind, rest), form, 0)
  return { kind, value: rest }
}

/** `name=value …`, or the old `name value`. */
function readPairs({ name, rest, form }: Given): Pair[] {
  atLeastOne(name, rest)
  const words = cutWords(rest, form.escapedBy)
  if (words[0]?.text.includes('=') !== true) {
    const [, key, value] = /^(\S+)\s+(.*)$/s.exec(rest) ?? []
    if (key === undefined || value === undefined) throw new Wrong(`${name} must have two arguments`)
    return [checkedPair(name, { key, value }, form, 0)]
  }
  return words.map(({ text, offset }) => {
    const cut = text.indexOf('=')
    if (cut === -1) {
      throw new Wrong(`Syntax error - can't find = in "${text}". Must be of the form: name=value`, offset)
    }
    return checkedPair(name, { key: text.slice(0, cut), value: text.slice(cut + 1) }, form, offset)
  })
}

function checkedPair(name: string, pair: Pair, form: TemplateForm, offset: number): Pair {
  if (pair.key === '') throw new Wrong(`${name} names can not be blank`, offset)
  checkWord(pair.key, form, offset)
  checkWord(pair.value, form, offset + pair.key.length + 1)
  return pair
}

function readArg({ rest, form }: Given): Omit<Arg, 'place' | 'endLine' | 'text'> {
  atLeastOne('ARG', rest)
  const args = cutWords(rest, form.escapedBy).map(({ text, offset }) => {
    const cut = text.indexOf('=')
    if (cut === 0) throw new Wrong('ARG names can not be blank', offset)
    checkWord(text, form, offset)
    return cut === -1 ? { key: text, value: undefined } : { key: text.slice(0, cut), value: text.slice(cut + 1) }
  })
  return { kind: 'ARG', args }
}

/** A JSON array, or words between spaces. */
function readList({ name, rest, form }: Given): string[] {
  atLeastOne(name, rest)
  const values = readJsonForm(rest) ?? rest.split(/\s+/)
  if (values.length === 0) throw new Wrong(`${name} requires at least one argument`)
  for (const value of values) {
    if (value.trim() === '') throw new Wrong(`${name} specified can not be an empty string`)
    checkWord(value, form)
  }
  return values.map((value) => value.trim())
}

function readCommand({ rest, heredocs }: Given): CommandLine {
  const exec = readJsonForm(rest)
  return exec === undefined ? { shell: rest, heredocs } : { exec }
}

function readRun(given: Given): ReadInstruction {
  const { flags } = given
  const command = readCommand(given)
  if ('exec' in command ? command.exec.length === 0 : command.shell === '') {
    throw new Wrong('RUN requires at least one argument')
  }
  const mounts = flags.list('mount').map((text): RunMount => readRunMount(text))
  const network = oneOf('network', flags.text('network'), ['', 'default', 'none', 'host'] as const)
  const security = oneOf('security', flags.text('security'), ['', 'sandbox', 'insecure'] as const)
  return { kind: 'RUN', command, mounts, network, security }
}

function oneOf<T extends string>(flag: string, value: string, known: readonly T[]): T {
  const found = known.find((each) => each === value.toLowerCase())
  if (found === undefined) throw new Wrong(`invalid value "${value}" for --${flag}`)
  return found
}

function readShell({ rest }: Given): ReadInstruction {
  atLeastOne('SHELL', rest)
  const values = readJsonForm(rest)
  if (values === undefined) throw new Wrong('SHELL requires the arguments to be in JSON form')
  if (values.length === 0) throw new Wrong('SHELL requires at least one argument')
  return { kind: 'SHELL', values }
}

/** `ONBUILD` itself is read again when it comes to that, so only what it may begin with is looked at. */
function readTrigger({ rest, heredocs }: Given): ReadInstruction {
  atLeastOne('ONBUILD', rest)
  const [instruction = ''] = rest.toUpperCase().split(/\s+/, 1)
  if (instruction === 'ONBUILD') throw new Wrong("Chaining ONBUILD via `ONBUILD ONBUILD` isn't allowed")
  if (instruction === 'FROM' || instruction === 'MAINTAINER') {
    throw new Wrong(`${instruction} isn't allowed as an ONBUILD trigger`)
  }
  if (!Object.hasOwn(instructionTable, instruction)) throw new Wrong(`unknown instruction: ${instruction}`)
  const documents = heredocs.map(({ name, content }) => `\n${content}${name}`)
  return { kind: 'ONBUILD', trigger: rest + documents.join('') }
}

function readCopy(kind: 'COPY' | 'ADD', { flags, rest, heredocs, form }: Given): ReadInstruction {
  const words = readJsonForm(rest) ?? cutWords(rest, form.escapedBy).map(({ text }) => text)
  const destination = words.at(-1)
  if (destination === undefined || words.length < 2) {
    throw new Wrong(
      `${kind} requires at least two arguments, but only one was provided. Destination could not be determined`,
    )
  }
  const [to] = joinMarks([destination])
  if (to !== undefined && readHeredocMark(to) !== undefined) {
    throw new Wrong(`${kind} cannot accept a heredoc as a destination`)
  }
  const sources = joinMarks(words.slice(0, -1)).map((path) => readSource(path, heredocs, form))
  if (flags.text('from').includes('$')) {
    throw new Wrong('variable expansion is not supported for --from, define a new stage with ARG from global scope')
  }
  const texts = [destination, flags.text('chown'), flags.text('chmod'), flags.text('checksum')]
  for (const text of [...texts, ...flags.list('exclude')]) checkWord(text, form)
  const copy: Omit<Copy, 'place' | 'endLine' | 'text'> = {
    ...{ kind, sources, destination, from: flags.text('from'), excludes: flags.list('exclude') },
    ...{ chown: flags.text('chown'), chmod: flags.text('chmod'), checksum: flags.text('checksum') },
    isLinked: flags.switch('link') ?? false,
    keepsParents: flags.switch('parents') ?? false,
    keepsGitDir: flags.switch('keep-git-dir'),
    unpacks: flags.switch('unpack'),
  }
  return copy
}

/** `<< EOF` is one mark, as a shell has it. */
function joinMarks(words: readonly string[]): string[] {
  const joined: string[] = []
  for (const word of words) {
    const last = joined.at(-1)
    if (last !== undefined && /^\d*<<-?$/.test(last)) joined[joined.length - 1] = last + word
    else joined.push(word)
  }
  return joined
}

function readSource(path: string, heredocs: readonly Heredoc[], form: TemplateForm): CopySource {
  const mark = readHeredocMark(path)
  const heredoc = mark && heredocs.findLast(({ name }) => name === mark.name)
  if (heredoc === undefined) {
    checkWord(path, form)
    return { path }
  }
  const content = chomped(heredoc)
  if (heredoc.isExpanded) checkWord(content, { escapedBy: '\\', hasQuotes: false })
  return { heredoc: { ...heredoc, content } }
}

const millisecond = 1e6

function readHealthcheck({ flags, rest }: Given): ReadInstruction {
  atLeastOne('HEALTHCHECK', rest)
  const [, type = '', command = ''] = /^(\S+)\s*(.*)$/s.exec(rest) ?? []
  const interval = (name: string): number => {
    const text = flags.text(name)
    const duration = text === '' ? 0 : readDuration(text)
    if (duration !== 0 && duration < millisecond) throw new Wrong(`Interval "${name}" cannot be less than 1ms`)
    return duration
  }
  const check: Omit<Healthcheck, 'place' | 'endLine' | 'text'> = {
    kind: 'HEALTHCHECK',
    test: testOf(type.toUpperCase(), command),
    ...{ interval: interval('interval'), timeout: interval('timeout') },
    ...{ startPeriod: interval('start-period'), startInterval: interval('start-interval') },
    retries: retriesOf(flags.text('retries')),
  }
  return check
}

function testOf(type: string, command: string): string[] {
  if (type === 'NONE') {
    if (command !== '') throw new Wrong('HEALTHCHECK NONE takes no arguments')
    return ['NONE']
  }
  if (type !== 'CMD') throw new Wrong(`Unknown type "${type}" in HEALTHCHECK (try CMD)`)
  const exec = readJsonForm(command)
  if (exec === undefined ? command === '' : exec.length === 0) throw new Wrong('Missing command after HEALTHCHECK CMD')
  return exec === undefined ? ['CMD-SHELL', command] : ['CMD', ...exec]
}

function retriesOf(text: string): number {
  if (text === '') return 0
  if (!/^-?\d{1,9}$/.test(text)) throw new Wrong(`--retries must be a number, not "${text}"`)
  if (Number(text) < 0) throw new Wrong(`--retries cannot be negative (${text})`)
  return Number(text)
}
