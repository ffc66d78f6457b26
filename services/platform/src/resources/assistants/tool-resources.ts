// The files and stores that tools use: checked, and made where a request asks for that.
import type { Queries, Tx } from '@atoll/kernel/db/database'
import type { ProjectCaller } from '../../callers.ts'
import { assistantErrors } from '../../errors/assistants.ts'
import type { FileObject, FilePurpose } from '../files/schema.ts'
import type { Files } from '../files/service.ts'
import type { CreateVectorStore } from '../vector-stores/schema.ts'
import type { VectorStores } from '../vector-stores/service.ts'
import type { ToolResources, ToolResourcesInput } from './schema.ts'

export interface ToolResourceParts {
  files: Pick<Files, 'named'>
  vectorStores: Pick<VectorStores, 'createIn' | 'checkExists'>
}

/** Files of callers, and those that code wrote for them. */
const purposesForTools: readonly FilePurpose[] = ['assistants', 'assistants_output']

/** What the object will keep; throws when something it names is not there. */
export async function settleToolResources(
  parts: ToolResourceParts,
  tx: Tx,
  caller: ProjectCaller,
  input: ToolResourcesInput,
  storeDefaults: Pick<CreateVectorStore, 'expires_after'> = {},
): Promise<ToolResources> {
  const { code_interpreter, file_search } = input
  const settled: ToolResources = {}
  if (code_interpreter !== undefined) {
    await checkToolFiles(parts, tx, caller, code_interpreter.file_ids)
    settled.code_interpreter = code_interpreter
  }
  if (file_search !== undefined) {
    const { vector_store_ids = [], vector_stores = [] } = file_search
    for (const id of vector_store_ids) await parts.vectorStores.checkExists(caller, id, tx)
    const ids = [...vector_store_ids]
    for (const store of vector_stores) {
      ids.push((await parts.vectorStores.createIn(tx, caller, { ...storeDefaults, ...store })).id)
    }
    settled.file_search = { vector_store_ids: ids }
  }
  return settled
}

export async function checkToolFiles(
  { files }: Pick<ToolResourceParts, 'files'>,
  queries: Queries,
  caller: ProjectCaller,
  ids: readonly string[],
): Promise<void> {
  const found = await files.named(queries, caller, ids)
  for (const id of ids) {
    const { purpose } = fileNamed(found, id)
    if (!purposesForTools.includes(purpose)) throw assistantErrors.notForTools(id, purpose)
  }
}

export function fileNamed(found: ReadonlyMap<string, FileObject>, id: string): FileObject {
  const file = found.get(id)
  if (file === undefined) throw assistantErrors.noSuchFile(id)
  return file
}
