// The first code of every command. Plain JavaScript, because it decides where compiled code is kept: a start that finds
// all of it there needs no type stripper, which was measured as 20 MB less. And no ES module: importing one of Node's
// own modules makes all that it has, which was measured as a tenth of a start.
const { enableCompileCache } = require('node:module')
const { dirname } = require('node:path')
const { pathToFileURL } = require('node:url')
const { bundleOf, isEngineAlone } = require('./bundle-cache.cjs')
const { cacheFolder, rehearseIfStale, sourceOf } = require('./code-cache.cjs')

const root = dirname(__dirname)
const folder = process.env.NODE_COMPILE_CACHE || cacheFolder(root)
const args = process.argv.slice(2)
const isUp = args[0] === 'up'
if (folder) {
  // Threads read the variable.
  process.env.NODE_COMPILE_CACHE = folder
  if (isUp && !isEngineAlone(args)) rehearseIfStale(root, folder)
  enableCompileCache(folder)
}
const bundle = folder ? bundleOf(root, folder, args) : undefined
if (bundle) require(bundle).main()
else import(pathToFileURL(sourceOf(root, 'cli', 'main')).href).then(({ main }) => main())
