// Puts the modules that `up` needs into a few files: most of what a start takes, in time and in memory, is finding,
// reading and keeping a thousand of them. Run by bundle-cache.cjs as a process of its own: node bin/bundle.js ROOT FOLDER NAME
// A fourth argument is another module to begin with: tests have theirs.
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'
import { sourceOf } from './code-cache.cjs'
import { inItsPlace, inside, isOwn, modulesOf, programFiles, replace } from './program-files.js'

/** `engine`: for an engine that is started alone. `up`: for everything else; a service's code is a file of its own. */
const [root, folder, name, input = sourceOf(root, 'cli', 'main')] = process.argv.slice(2)

/** Commands other than `up`, and for the engine other services: they come from their own files, if ever. */
const isElsewhere = (source, importer) => {
  const path = outside(source, importer).id.slice(root.length)
  if (importer === sourceOf(root, 'cli', 'program')) return !/^\/cli\/up\/up\.[jt]s$/.test(path)
  if (name !== 'engine') return false
  return /^\/((packages|services)\/(?!engine\/|kernel\/)|cli\/up\/start-(?!engine\.)|cli\/keys\/)/.test(path)
}

/** A command of checkouts alone, which a package does not offer. */
const isAbsent = (source, importer) => source.startsWith('.') && !existsSync(join(dirname(importer), source))

const outside = (source, importer) => {
  const id = source.startsWith('.') ? join(dirname(importer), source) : createRequire(importer).resolve(source)
  return { id, external: true }
}

const plugin = {
  name: 'atoll',
  resolveId(source, importer, { kind }) {
    if (importer === undefined || source.startsWith('node:')) return null
    if (kind === 'dynamic-import' && (isAbsent(source, importer) || isElsewhere(source, importer))) {
      // By its address: a path would be taken as one beside the bundle.
      const { id } = outside(source, importer)
      return { id: pathToFileURL(id).href, external: true }
    }
    const isPackage = !/^[./]/.test(source) && isOwn(root, importer)
    return isPackage && !inside.test(source) && !source.startsWith('@atoll/') ? outside(source, importer) : null
  },
  transform: inItsPlace,
}

// Of those that may not write files. Not Python: another user runs it, who may not be let into the folder.
const programs = programFiles(root, folder, ['reader-process'])
const built = await rolldown({
  input,
  cwd: root,
  platform: 'node',
  plugins: [programs, plugin],
  logLevel: 'silent',
})
// Not as ES modules: each import of a module of Node's own would make all that it has, also what nobody asked for.
const names = { entryFileNames: 'main-[hash].cjs', chunkFileNames: '[name]-[hash].cjs' }
// V8 keeps the text of all code: in ASCII alone each letter is one byte, and else two.
const text = {
  comments: false,
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
}
const { output } = await built.generate({ format: 'cjs', ...names, ...text })
mkdirSync(folder, { recursive: true })
for (const { fileName, code } of output) replace(join(folder, fileName), code)
// And how they are put together.
const own = [import.meta.filename, join(import.meta.dirname, 'program-files.js')]
const modules = [...modulesOf(output), ...programs.modules, ...own].map((path) => [path, statSync(path).mtimeMs])
const entry = output.find(({ isEntry }) => isEntry).fileName
replace(join(folder, 'manifest.json'), JSON.stringify({ entry, modules }))
