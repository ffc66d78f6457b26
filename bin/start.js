// The first code of every command. Plain JavaScript, because it decides where compiled code is kept: a start that finds
// all of it there needs no type stripper, which was measured as 20 MB less.
import { enableCompileCache } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheFolder, rehearseIfStale } from './code-cache.js'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const folder = process.env.NODE_COMPILE_CACHE || cacheFolder(root)
if (folder) {
  // Threads read the variable.
  process.env.NODE_COMPILE_CACHE = folder
  if (process.argv[2] === 'up') rehearseIfStale(root, folder)
  enableCompileCache(folder)
}
const { main } = await import('../cli/main.ts')
await main()
