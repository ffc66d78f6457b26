// Programs that are started beside the one that runs, each put into a file or two of plain JavaScript. To find and read
// all their modules is most of what a start takes; and one that may not write files cannot keep what Node has compiled:
// it would strip the types of all of them anew each time. A plugin, for the bundler and for tests: where a module names
// such a program, it gets the new one.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { removeOld } from './bundle-cache.cjs'

/** Packages that go in. Others find files of their own beside them, or are needed by few. */
export const inside = /^(zod|kysely|commander|find-my-way|@fastify\/busboy|ws|pino|yaml)(\/|$)/

/** Not of a package; Atoll itself may lie among others, when it was installed as one. */
export const isOwn = (root, path) => path.startsWith(`${root}/`) && !path.slice(root.length).includes('/node_modules/')

/** `folder` gets those with these names. `modules` are what went in. */
export function programFiles(root, folder, names) {
  const programs = new RegExp(
    `new URL\\('(\\.{1,2}/(?:[\\w.-]+/)*(?:${names.join('|')})\\.[jt]s)', import\\.meta\\.url\\)`,
  )
  const made = new Map()
  const plugin = {
    name: 'atoll-program-files',
    enforce: 'pre',
    modules: [],
    /** What a module becomes depends on the program too: tests must not keep it from the last time. */
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ sourceCode }) => (programs.test(sourceCode) ? false : undefined))
    },
    async transform(code, id) {
      const [found, source] = programs.exec(code) ?? []
      if (found === undefined || !isOwn(root, id)) return null
      const path = fileURLToPath(new URL(source, pathToFileURL(id)))
      if (!made.has(path)) made.set(path, make(path))
      return { code: code.replace(found, `new URL(${JSON.stringify(await made.get(path))})`), map: null }
    },
  }
  const make = async (path) => {
    const output = await build(root, path, plugin)
    mkdirSync(folder, { recursive: true })
    removeOld(folder)
    for (const { fileName, code } of output) replace(join(folder, fileName), code)
    plugin.modules.push(...modulesOf(output))
    return pathToFileURL(join(folder, output.find(({ isEntry }) => isEntry).fileName)).href
  }
  return plugin
}

async function build(root, input, programs) {
  const plugin = {
    name: 'atoll-program',
    async resolveId(source, importer) {
      if (importer === undefined || !isOwn(root, importer)) return null
      if (/^([./]|node:|@atoll\/)/.test(source) || inside.test(source)) return null
      const { id } = await this.resolve(source, importer, { skipSelf: true })
      return { id: pathToFileURL(id).href, external: true }
    },
    transform: inItsPlace,
  }
  const built = await rolldown({ input, cwd: root, platform: 'node', plugins: [programs, plugin], logLevel: 'silent' })
  const names = { entryFileNames: '[name]-[hash].mjs', chunkFileNames: '[name]-[hash].mjs' }
  const { output } = await built.generate({ format: 'esm', ...names, comments: false })
  await built.close()
  return output
}

/** A transform: a module stays where it is, whatever file its code is in, and is never the program itself. */
export async function inItsPlace(code, id) {
  if (!code.includes('import.meta.')) return null
  const values = { url: pathToFileURL(id).href, dirname: dirname(id), filename: id }
  const asModule = code.replace(/^if \(import\.meta\.main\) .*$/m, '')
  let text = asModule.replace(/\bimport\.meta\.(url|dirname|filename)\b/g, (_, key) => JSON.stringify(values[key]))
  for (const [call, source] of text.matchAll(/\bimport\.meta\.resolve\('([^']+)'\)/g)) {
    const found = await this.resolve(source, id, { skipSelf: true })
    text = text.replace(call, JSON.stringify(pathToFileURL(found.id).href))
  }
  return text
}

export const modulesOf = (output) => output.flatMap(({ moduleIds }) => moduleIds).filter((id) => id.startsWith('/'))

/** Under another name first: whoever looks meanwhile sees the old one or the new one. */
export function replace(path, text) {
  writeFileSync(`${path}.${process.pid}`, text)
  renameSync(`${path}.${process.pid}`, path)
}
