// Files that come with messages: a file for search joins the thread's own store, one for code the thread's files.
import type { Tx } from '@atoll/kernel/db/database'
import type { ProjectCaller } from '../../../callers.ts'
import { assistantErrors } from '../../../errors/assistants.ts'
import { maxCodeInterpreterFiles, type ToolResources } from '../../assistants/schema.ts'
import { checkToolFiles, fileNamed } from '../../assistants/tool-resources.ts'
import type { FilePurpose } from '../../files/schema.ts'
import type { Files } from '../../files/service.ts'
import type { VectorStores } from '../../vector-stores/service.ts'
import { setToolResources, type Thread, threadStoreExpiry, toolResourcesOf } from '../thread-records.ts'
import type { CreateMessage } from './schema.ts'

export interface AttachmentParts {
  files: Pick<Files, 'named'>
  vectorStores: Pick<VectorStores, 'createIn' | 'attachFilesIn'>
}

const purposesForImages: readonly FilePurpose[] = ['vision', 'assistants', 'assistants_output']
const imageName = /\.(jpe?g|png|gif|webp)$/i

/** Throws when a file that a message shows or brings is not there, or is not for that. */
export async function checkFiles(
  parts: AttachmentParts,
  tx: Tx,
  caller: ProjectCaller,
  requests: readonly CreateMessage[],
): Promise<void> {
  const attached = requests.flatMap(({ attachments }) => (attachments ?? []).map(({ file_id }) => file_id))
  if (attached.length > 0) await checkToolFiles(parts, tx, caller, attached)
  const shown = requests.flatMap(imageFilesOf)
  const found = shown.length > 0 ? await parts.files.named(tx, caller, shown) : new Map()
  for (const id of shown) {
    const { purpose, filename } = fileNamed(found, id)
    if (!purposesForImages.includes(purpose)) throw assistantErrors.notForImages(id, purpose)
    if (!imageName.test(filename)) throw assistantErrors.notAnImage(filename)
  }
}

const imageFilesOf = ({ content }: CreateMessage): string[] =>
  typeof content === 'string'
    ? []
    : content.flatMap((part) => (part.type === 'image_file' ? [part.image_file.file_id] : []))

/** Gives the thread what its new messages bring, in the commit that adds them. */
export async function attach(
  parts: AttachmentParts,
  tx: Tx,
  caller: ProjectCaller,
  thread: Thread,
  requests: readonly CreateMessage[],
): Promise<void> {
  const forCode = filesFor('code_interpreter', requests)
  const forSearch = filesFor('file_search', requests)
  if (forCode.length + forSearch.length === 0) return
  const before = toolResourcesOf(thread)
  const after: ToolResources = { ...before }
  if (forCode.length > 0) {
    const file_ids = [...new Set([...(before.code_interpreter?.file_ids ?? []), ...forCode])]
    if (file_ids.length > maxCodeInterpreterFiles) throw assistantErrors.tooManyCodeFiles(maxCodeInterpreterFiles)
    after.code_interpreter = { file_ids }
  }
  if (forSearch.length > 0) {
    const storeId = before.file_search?.vector_store_ids[0]
    after.file_search = { vector_store_ids: [await keepForSearch(parts, tx, caller, storeId, forSearch)] }
  }
  await setToolResources(tx, thread.id, after)
}

function filesFor(tool: 'code_interpreter' | 'file_search', requests: readonly CreateMessage[]): string[] {
  const attachments = requests.flatMap(({ attachments }) => attachments ?? [])
  const meant = attachments.filter(({ tools }) => tools.some(({ type }) => type === tool))
  return [...new Set(meant.map(({ file_id }) => file_id))]
}

/** The id of the store that has the files then. */
async function keepForSearch(
  { vectorStores }: AttachmentParts,
  tx: Tx,
  caller: ProjectCaller,
  storeId: string | undefined,
  file_ids: string[],
): Promise<string> {
  if (storeId === undefined) {
    return (await vectorStores.createIn(tx, caller, { file_ids, expires_after: threadStoreExpiry })).id
  }
  const entries = file_ids.map((fileId) => ({ fileId }))
  await vectorStores.attachFilesIn(tx, caller, storeId, entries, { param: 'attachments' })
  return storeId
}
