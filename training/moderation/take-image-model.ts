// Takes the weights of nsfwjs' MobileNetV2Mid out of its package, which keeps them as JavaScript:
//   npm pack nsfwjs@4.3.0 && tar xzf nsfwjs-4.3.0.tgz
//   node training/moderation/take-image-model.ts package/dist/models/mobilenet_v2_mid
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

interface ModelJson {
  format: string
  modelTopology: object
  weightsManifest: { paths: string[]; weights: object[] }[]
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('name the folder of the model: take-image-model.ts FOLDER')
const require = createRequire(import.meta.url)
const read = (name: string): unknown => require(resolve(folder, `${name}.min.js`))

const { format, modelTopology, weightsManifest } = read('model') as ModelJson
const shards = weightsManifest.flatMap(({ paths }) => paths.map((path) => Buffer.from(read(path) as string, 'base64')))
const weightSpecs = weightsManifest.flatMap(({ weights }) => weights)
const target = (name: string): URL => new URL(`../../weights/moderation/${name}`, import.meta.url)
writeFileSync(target('image.json'), `${JSON.stringify({ format, modelTopology, weightSpecs })}\n`)
writeFileSync(target('image.bin'), Buffer.concat(shards))
