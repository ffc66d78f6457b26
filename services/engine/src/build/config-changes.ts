// `--change 'CMD ["sh"]'` of import and commit: lines of a Dockerfile that change an image's configuration.
import { invalidParameter } from '../errors.ts'
import { hostPlatform } from '../images/platform.ts'
import { applyConfig, workingFolder } from './config-steps.ts'
import { expandWord } from './dockerfile/expand.ts'
import { DockerfileProblem, Wrong } from './dockerfile/problem.ts'
import { readInstruction } from './dockerfile/read-dockerfile.ts'
import { type Config, StageState } from './stage-state.ts'

const form = { escapedBy: '\\' } as const
/** Those that need no step. */
const allowed: ReadonlySet<string> = new Set([
  ...['CMD', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'HEALTHCHECK', 'LABEL', 'ONBUILD'],
  ...['SHELL', 'STOPSIGNAL', 'USER', 'VOLUME', 'WORKDIR'],
])

export function applyChanges(config: Config, changes: readonly string[]): Config {
  const image = { ...hostPlatform, config, rootfs: { type: 'layers' as const, diff_ids: [] } }
  const state = new StageState({ layers: [], image, platform: hostPlatform, isBuildKit: false })
  const lines = changes.flatMap((change) => change.split('\n')).map((line) => line.trim())
  for (const line of lines.filter(Boolean)) {
    const [word = ''] = line.split(/\s/, 1)
    if (!allowed.has(word.toUpperCase())) throw invalidParameter(`${word} is not a valid change command`)
    told(() => applyChange(state, line))
  }
  return state.config
}

function applyChange(state: StageState, line: string): void {
  const instruction = readInstruction(line)
  switch (instruction.kind) {
    case 'WORKDIR':
      state.config.WorkingDir = workingFolder(state.workingDir, expandWord(instruction.value, state.values, form))
      return
    case 'ARG':
    case 'RUN':
    case 'COPY':
    case 'ADD':
      return
    default:
      applyConfig(state, instruction, form)
  }
}

/** There is no file to name lines of. */
function told(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (error instanceof Wrong) throw invalidParameter(error.message)
    if (error instanceof DockerfileProblem)
      throw invalidParameter(error.message.replace(/^dockerfile parse error[^:]*: /, ''))
    throw error
  }
}
