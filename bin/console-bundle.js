// Builds the web console: node bin/console-bundle.js ROOT FOLDER. Run by cli/console/build.ts as a process of its own.
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

const [root, folder] = process.argv.slice(2)
const source = join(root, 'console')

/** In this order: what comes later may overrule what came before. */
const { resolve } = createRequire(join(source, 'package.json'))
const styles = [
  resolve('uplot/dist/uPlot.min.css'),
  resolve('@xterm/xterm/css/xterm.css'),
  ...readdirSync(join(source, 'styles'))
    .filter((name) => name.endsWith('.css'))
    .sort()
    .map((name) => join(source, 'styles', name)),
]
const page = join(source, 'index.html')
const icon = join(source, 'icon.svg')
const docs = join(root, 'docs')
const guides = readdirSync(docs, { recursive: true })
  .filter((name) => name.endsWith('.md'))
  .sort()

// Threads for sound load a file of their own, by its address.
const worklet = await bundled('pages/voice/microphone-worklet.ts')
const [{ fileName: workletName }] = worklet
const main = await bundled('main.tsx', {
  MICROPHONE_WORKLET: JSON.stringify(`/console/assets/${workletName}`),
  GUIDES: JSON.stringify(guides.map((path) => ({ path, text: readFileSync(join(docs, path), 'utf8') }))),
})
const output = [...main, ...worklet]

mkdirSync(folder, { recursive: true })
const entry = main.find(({ isEntry }) => isEntry)
const assets = output.map(({ fileName, code }) => write(fileName, code))
const style = write(...hashed('style', 'css', styles.map((path) => readFileSync(path, 'utf8')).join('\n')))
const drawing = write(...hashed('icon', 'svg', readFileSync(icon, 'utf8')))
const html = readFileSync(page, 'utf8')
  .replace('main.tsx', `/console/assets/${entry.fileName}`)
  .replace('style.css', `/console/assets/${style}`)
  .replace('icon.svg', `/console/assets/${drawing}`)
  .replace(
    '</head>',
    `${entry.imports.map((name) => `<link rel="modulepreload" href="/console/assets/${name}">\n`).join('')}</head>`,
  )
write('index.html', html)
const read = [
  ...output.flatMap(({ moduleIds = [] }) => moduleIds),
  ...styles,
  ...guides.map((path) => join(docs, path)),
  docs,
  join(source, 'styles'),
  page,
  icon,
  import.meta.filename,
]
const paths = [...new Set(read.map((path) => path.split('?')[0]))].filter((path) => path.startsWith('/'))
// Last: whoever finds it finds all that it names.
write(
  'manifest.json',
  JSON.stringify({
    index: 'index.html',
    assets: [...assets, style, drawing],
    sources: paths.map((path) => [path, statSync(path).mtimeMs]),
  }),
)
const kept = new Set([...assets, style, drawing, 'index.html', 'manifest.json'])
// Not what another process is writing.
const isOld = (name) => !kept.has(name) && !/\.\d+$/.test(name)
for (const name of readdirSync(folder).filter(isOld)) rmSync(join(folder, name), { force: true })

async function bundled(input, define = {}) {
  const built = await rolldown({
    input: join(source, input),
    cwd: root,
    platform: 'browser',
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': "'production'", ...define }, jsx: { runtime: 'automatic' } },
  })
  const { output } = await built.generate({
    format: 'esm',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
    comments: false,
  })
  return output
}

function hashed(name, ending, text) {
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 8)
  return [`${name}-${digest}.${ending}`, text]
}

/** Under another name first: whoever looks meanwhile sees the old one or the new one. */
function write(name, text) {
  const path = join(folder, name)
  writeFileSync(`${path}.${process.pid}`, text)
  renameSync(`${path}.${process.pid}`, path)
  return name
}
