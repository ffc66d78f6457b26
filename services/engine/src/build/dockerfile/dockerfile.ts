// A Dockerfile as it was read: nothing is expanded yet, since values are known only while it is built.
import type { Place } from './problem.ts'

export interface Dockerfile {
  /** From the first lines; undefined where they do not say. */
  directives: Directives
  /** ARG before the first FROM: seen by FROM, and by stages that ask for them. */
  globalArgs: Arg[]
  stages: Stage[]
}

export interface Directives {
  escapedBy: EscapeCharacter
  syntax?: string
  check?: string
}

export type EscapeCharacter = '\\' | '`'

export interface Stage {
  /** An image, a former stage, or `scratch`; not expanded. */
  base: string
  /** In lower case; empty: it is known by its number only. */
  name: string
  /** Not expanded. */
  platform: string
  place: Place
  /** The line as it was written. */
  text: string
  instructions: Instruction[]
}

interface Written {
  place: Place
  endLine: number
  /** The instruction as it was written, in one line. */
  text: string
}

export interface Pair {
  key: string
  value: string
}

export interface Arg extends Written {
  kind: 'ARG'
  args: { key: string; value: string | undefined }[]
}

/** A command for a shell (one text), or a program with its arguments. */
export type CommandLine = { shell: string; heredocs: Heredoc[] } | { exec: string[] }

export interface Heredoc {
  name: string
  content: string
  /** `<<-`: tabs at the beginning of lines are not meant. */
  isChomped: boolean
  /** Its name is not quoted: variables stand for their values. */
  isExpanded: boolean
}

export interface Copy extends Written {
  kind: 'COPY' | 'ADD'
  sources: CopySource[]
  destination: string
  chown: string
  chmod: string
  isLinked: boolean
  excludes: string[]
  /** COPY only. */
  from: string
  keepsParents: boolean
  /** ADD only. */
  checksum: string
  keepsGitDir: boolean | undefined
  unpacks: boolean | undefined
}

export type CopySource = { path: string } | { heredoc: Heredoc }

export interface Run extends Written {
  kind: 'RUN'
  command: CommandLine
  mounts: RunMount[]
  network: '' | 'default' | 'none' | 'host'
  security: '' | 'sandbox' | 'insecure'
}

export type MountType = 'bind' | 'cache' | 'tmpfs' | 'secret' | 'ssh'

/** `--mount`; values may hold variables. */
export interface RunMount {
  type: MountType
  options: ReadonlyMap<string, string>
}

export interface Healthcheck extends Written {
  kind: 'HEALTHCHECK'
  /** As a container's configuration has it: NONE, CMD or CMD-SHELL first. */
  test: string[]
  /** In nanoseconds; 0: not said. */
  interval: number
  timeout: number
  startPeriod: number
  startInterval: number
  retries: number
}

interface Pairs<Kind extends string> extends Written {
  kind: Kind
  pairs: Pair[]
}

interface Command<Kind extends string> extends Written {
  kind: Kind
  command: CommandLine
}

interface OneWord<Kind extends string> extends Written {
  kind: Kind
  value: string
}

interface Words<Kind extends string> extends Written {
  kind: Kind
  values: string[]
}

interface Trigger extends Written {
  kind: 'ONBUILD'
  /** An instruction, read when another Dockerfile begins with the image. */
  trigger: string
}

export type Instruction =
  | Arg
  | Copy
  | Run
  | Healthcheck
  | Pairs<'ENV'>
  | Pairs<'LABEL'>
  | Command<'CMD'>
  | Command<'ENTRYPOINT'>
  | OneWord<'WORKDIR'>
  | OneWord<'USER'>
  | OneWord<'STOPSIGNAL'>
  | OneWord<'MAINTAINER'>
  | Words<'EXPOSE'>
  | Words<'VOLUME'>
  | Words<'SHELL'>
  | Trigger
