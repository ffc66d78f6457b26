// Names of images and plugins have slashes. In an address they stand as they are (`/images/host:5000/a/b/json`) or encoded; the
// router knows one segment, so the slashes inside are encoded for it.
const imageActions = ['json', 'history', 'push', 'tag', 'get']
const fixedImagePaths = /^\/images\/(json|create|load|search|prune|get)$/
const pluginActions = ['json', 'enable', 'disable', 'upgrade', 'push', 'set']
const fixedPluginPaths = /^\/plugins\/(privileges|pull|create)$/

/** `GET /containers/parent/alias/json`: the container that the link leads to. */
const linkedPath = /^\/containers\/[^/]+\/[^/]+\/json$/

export function encodeNames(url: string): string {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const encoded = isLink(path, url.slice(path.length + 1)) ? encodeBetween(path, '/containers/', []) : encodePath(path)
  return encoded === path ? url : encoded + (mark < 0 ? '' : url.slice(mark))
}

/** `DELETE /containers/parent/alias?link=1`: a link is named by both. */
const isLink = (path: string, query: string): boolean =>
  /^\/containers\/[^/]+\/[^/]+$/.test(path) && /(?:^|&)link=(?:1|true)(?:&|$)/i.test(query)

function encodePath(path: string): string {
  if (path.startsWith('/images/') && !fixedImagePaths.test(path)) return encodeBetween(path, '/images/', imageActions)
  if (linkedPath.test(path)) return encodeBetween(path, '/containers/', ['json'])
  if (path.startsWith('/distribution/')) return encodeBetween(path, '/distribution/', ['json'])
  if (path.startsWith('/plugins/') && !fixedPluginPaths.test(path)) {
    return encodeBetween(path, '/plugins/', pluginActions)
  }
  return path
}

function encodeBetween(path: string, start: string, actions: readonly string[]): string {
  const rest = path.slice(start.length)
  const action = actions.find((name) => rest.endsWith(`/${name}`))
  const name = action === undefined ? rest : rest.slice(0, -action.length - 1)
  if (!name.includes('/')) return path
  return `${start}${name.replaceAll('/', '%2F')}${action === undefined ? '' : `/${action}`}`
}
