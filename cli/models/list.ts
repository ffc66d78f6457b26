// Tells which models are here, which are on their way, and which can be had.
import { type CatalogueModel, catalogue } from '@atoll/models/files/catalogue'
import type { InstalledModel, ModelFolder, PartialModel } from '@atoll/models/files/folder'
import { megabytes } from './progress.ts'

export async function modelListText(folder: ModelFolder): Promise<string> {
  const [installed, partials] = [await folder.list(), await folder.partials()]
  const names = new Set(installed.map((model) => model.name))
  const here =
    installed.length === 0
      ? `No models in ${folder.path} yet: chats are answered by atoll-chat, which comes with Atoll.\n`
      : `Models in ${folder.path}:\n${table(installed.map(installedRow))}`
  const begun = partials.length === 0 ? '' : `\nBegun, not finished:\n${table(partials.map(partialRow))}`
  const rest = catalogue.filter((model) => !names.has(model.name))
  const toGet =
    rest.length === 0
      ? ''
      : `\nTo get one: ./atoll models pull NAME\n${table(rest.map(catalogueRow))}\nAlso: ./atoll models pull owner/repository/file.gguf, or a URL.\n`
  return here + begun + toGet
}

export async function modelListJson(folder: ModelFolder): Promise<string> {
  const installed = (await folder.list()).map(({ info, ...model }) => ({
    ...model,
    architecture: info?.architecture,
    parameters: info?.parameterCount,
    quantization: info?.quantization,
    contextLength: info?.contextLength,
    license: info?.license,
  }))
  const list = { folder: folder.path, installed, partial: await folder.partials(), available: catalogue }
  return `${JSON.stringify(list, null, 2)}\n`
}

function installedRow({ name, bytes, info, problem }: InstalledModel): string[] {
  if (!info) return [name, megabytes(bytes), `cannot be used: ${problem}`]
  const context = info.contextLength === undefined ? '' : `${info.contextLength.toLocaleString('en')} tokens`
  return [name, megabytes(bytes), amount(info.parameterCount), info.quantization ?? '', context, info.license ?? '']
}

function partialRow({ name, fetchedBytes, bytes }: PartialModel): string[] {
  const share = bytes === undefined ? 'must begin anew' : `${Math.floor((fetchedBytes / bytes) * 100)}%`
  return [name, bytes === undefined ? '' : megabytes(bytes), share, 'pull it again to go on, or rm it']
}

const catalogueRow = ({ name, bytes, parameters, license, goodFor }: CatalogueModel): string[] => [
  name,
  megabytes(bytes),
  parameters,
  license,
  goodFor,
]

function amount(parameters: number): string {
  if (parameters >= 1e9) return `${(parameters / 1e9).toFixed(1)}B`
  return parameters >= 1e6 ? `${Math.round(parameters / 1e6)}M` : `${Math.ceil(parameters / 1e3)}K`
}

function table(rows: readonly string[][]): string {
  const columns = Math.max(...rows.map((row) => row.length))
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: string[]): string =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd()
  return rows.map((row) => `${line(row)}\n`).join('')
}
