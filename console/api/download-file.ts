import { saveFile } from '../parts/save-file.ts'
import { send } from './client.ts'

/** A link could not carry the session's header: the page fetches the content and hands it to the browser. */
export async function downloadFile(id: string, name: string, project: string): Promise<void> {
  saveFile(name, await (await send(`/v1/files/${id}/content`, { project })).blob())
}
