// The files of an assistant and its thread, as code finds them in the session's folder.

import type { Queries } from '@atoll/kernel/db/database'
import { SandboxProblem, type SandboxSession } from '@atoll/sandbox/sandbox'
import type { FileObject } from '../../../resources/files/schema.ts'
import type { Files } from '../../../resources/files/service.ts'
import type { DefinitionContext } from '../hosted-tool.ts'

const mebibyte = 1024 * 1024
const maxInputBytes = 100 * mebibyte
const maxNameLetters = 120

interface Parts {
  queries: Queries
  files: Pick<Files, 'named' | 'content'>
}

type Owner = Pick<DefinitionContext, 'caller' | 'assistantResources' | 'threadResources'>

export interface CodeFile {
  id: string
  /** In the folder. */
  name: string
  /** Undefined: it was deleted. */
  stored: FileObject | undefined
}

export class CodeFiles {
  readonly #parts: Parts
  /** What each session has, or is being given. It is gone when the session is. */
  readonly #given = new WeakMap<SandboxSession, Map<string, Promise<string | undefined>>>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async of({ caller, assistantResources, threadResources }: Owner): Promise<CodeFile[]> {
    const lists = [assistantResources, threadResources].map(({ code_interpreter }) => code_interpreter?.file_ids ?? [])
    const ids = [...new Set(lists.flat())]
    if (ids.length === 0) return []
    const stored = await this.#parts.files.named(this.#parts.queries, caller, ids)
    const taken = new Set<string>()
    return ids.map((id) => {
      const file = stored.get(id)
      const plain = plainName(file?.filename ?? id)
      const name = taken.has(plain) ? `${id}-${plain}` : plain
      taken.add(name)
      return { id, name, stored: file }
    })
  }

  /** Gives the session those that it does not have yet. Resolves to what could not be given, in words. */
  async give(owner: Owner, session: SandboxSession): Promise<string[]> {
    const given = this.#given.get(session) ?? new Map<string, Promise<string | undefined>>()
    this.#given.set(session, given)
    const problems: string[] = []
    // One after the other: they pass through memory.
    for (const file of await this.of(owner)) {
      const known = given.get(file.id)
      const giving = known ?? this.#put(owner, session, file)
      if (known === undefined) {
        given.set(file.id, giving)
        giving.catch(() => given.delete(file.id))
      }
      const problem = await giving
      if (known === undefined && problem !== undefined) problems.push(problem)
    }
    return problems
  }

  async #put({ caller }: Owner, session: SandboxSession, { id, name, stored }: CodeFile): Promise<string | undefined> {
    if (stored === undefined) return `The file ${id} was deleted: it is not in ${session.folder}.`
    if (stored.bytes > maxInputBytes) {
      return `${name} is not in ${session.folder}: it has ${stored.bytes} bytes, and at most ${maxInputBytes} can be read.`
    }
    const { read } = await this.#parts.files.content(caller, id)
    const chunks: Buffer[] = await read().toArray()
    try {
      await session.put({ name, bytes: Buffer.concat(chunks) })
      return undefined
    } catch (error) {
      if (error instanceof SandboxProblem) return error.message
      throw error
    }
  }
}

/** Without folders, and without what no file's name may have. */
function plainName(filename: string): string {
  const name = (filename.split(/[/\\]/).at(-1) ?? '').replace(/\p{Cc}/gu, '').trim()
  const end = /\.[\w]{1,10}$/.exec(name)?.[0] ?? ''
  const short = name.length <= maxNameLetters ? name : name.slice(0, maxNameLetters - end.length) + end
  return short === '' || short === '.' || short === '..' ? 'file' : short
}
