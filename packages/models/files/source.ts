// What `pull NAME|URL` means: an address to fetch, and the file to keep.
import { nearestName } from '@atoll/kernel/config/nearest-name'
import { catalogue, catalogueModel } from './catalogue.ts'
import { modelFileName } from './file-name.ts'
import { shownUrl } from './hub-client.ts'
import { ModelFileProblem } from './problem.ts'

export interface ModelSource {
  url: URL
  /** Its name in the folder. */
  file: string
  /** Where a person can read about it and accept its licence. */
  page: string | undefined
}

const revision = 'main'
const hubPath = /^([\w.-]{1,96}\/[\w.-]{1,96})\/((?:[\w.+-]+\/)*[\w.+-]+\.gguf)$/i
const partOfSeveral = /-\d{5}-of-(\d{5})\.gguf$/i

/** `text` is a name of the catalogue, `owner/repository/file.gguf`, or a URL. */
export function modelSource(text: string, hub: string, name?: string): ModelSource {
  const source = /^https?:\/\//i.test(text) ? atUrl(text, hub, name) : onHub(text, hub, name)
  const parts = partOfSeveral.exec(source.file)
  if (!parts) return source
  throw new ModelFileProblem(
    `${source.file} is one of ${Number(parts[1])} files that make one model. Pull a model that is in one file.`,
  )
}

function onHub(text: string, hub: string, name: string | undefined): ModelSource {
  const known = catalogueModel(text)
  const [, repository, path] = known ? ['', known.repository, known.file] : (hubPath.exec(text) ?? [])
  if (repository === undefined || path === undefined) throw unknownName(text)
  const base = `${hub.replace(/\/+$/, '')}/${repository}`
  const file = modelFileName(name ?? path.slice(path.lastIndexOf('/') + 1))
  return { url: new URL(`${base}/resolve/${revision}/${path}`), file, page: shownUrl(new URL(base)) }
}

function atUrl(text: string, hub: string, name: string | undefined): ModelSource {
  if (!URL.canParse(text)) throw new ModelFileProblem(`${text.slice(0, 200)} is not a URL`)
  const url = new URL(text)
  url.hash = ''
  const ofHub = url.origin === new URL(hub).origin
  // The page about a file, as people copy it from the browser.
  if (ofHub) url.pathname = url.pathname.replace(/^(\/[^/]+\/[^/]+)\/blob\//, '$1/resolve/')
  const last = decoded(url.pathname.slice(url.pathname.lastIndexOf('/') + 1))
  const repository = ofHub ? /^\/[^/]+\/[^/]+(?=\/resolve\/)/.exec(url.pathname)?.[0] : undefined
  return {
    url,
    file: modelFileName(name ?? last),
    page: repository === undefined ? undefined : url.origin + repository,
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function unknownName(text: string): ModelFileProblem {
  const names = catalogue.map((model) => model.name)
  const nearest = nearestName(text, names)
  const advice = nearest
    ? `did you mean ${nearest}?`
    : 'see ./atoll models list, or give owner/repository/file.gguf or a URL.'
  return new ModelFileProblem(`there is no model ${text.slice(0, 200)} in the list; ${advice}`)
}
