// Builds an image from a Dockerfile that is written here and the files of a folder, and shows what the engine says.
import { type ChangeEvent, useState } from 'react'
import { jsonLines } from '../../api/json-lines.ts'
import { sendTo } from '../../api/service-client.ts'
import { useChange } from '../../api/use-change.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Failure } from '../../parts/failure.tsx'
import { PlainText } from '../../parts/plain-text.tsx'
import { TextField } from '../../parts/text-field.tsx'
import { sizeText } from '../../parts/texts.ts'
import { LogBuffer } from './log-buffer.ts'
import { type Packed, packTar } from './write-tar.ts'

interface Told {
  stream?: string
  status?: string
  error?: string
}

const example = 'FROM busybox\nRUN echo built > /note\nCMD ["cat", "/note"]\n'
const maxFiles = 10_000
const maxBytes = 500_000_000
const showEveryMs = 100

export function BuildTab() {
  const [tag, setTag] = useState('mine:latest')
  const [dockerfile, setDockerfile] = useState(example)
  const [files, setFiles] = useState<Packed[]>([])
  const [said, setSaid] = useState<string | undefined>()
  const build = useChange(async () => {
    const context = contextOf(files, dockerfile)
    setSaid('')
    await buildImage(context, tag, setSaid)
  }, ['engine'])
  return (
    <>
      <form
        className="build"
        onSubmit={(event) => {
          event.preventDefault()
          build.mutate(undefined)
        }}
      >
        <TextField label="Tag of the image" value={tag} change={setTag} />
        <label className="field">
          <span>Dockerfile</span>
          <textarea
            className="mono"
            rows={8}
            required
            spellCheck={false}
            value={dockerfile}
            onChange={(event) => setDockerfile(event.target.value)}
          />
        </label>
        <FolderField files={files} change={setFiles} read={setDockerfile} />
        <button type="submit" className="primary" disabled={build.isPending}>
          {build.isPending ? 'Building…' : 'Build'}
        </button>
      </form>
      {build.error ? <Failure error={build.error} /> : null}
      {said !== undefined && (
        <section aria-label="What the build says">
          <PlainText label="Build log" text={said === '' ? 'Sent.' : said} className="log-lines" />
          {build.isSuccess && (
            <p role="status">
              <strong>{tag}</strong> is built.
            </p>
          )}
        </section>
      )}
      {said === undefined && (
        <>
          <p className="muted">The same from a terminal, in the folder with the files:</p>
          <CodeBlock code={`docker build -t ${tag || 'mine'} .`} language="sh" />
        </>
      )}
    </>
  )
}

interface FolderProps {
  files: Packed[]
  change(files: Packed[]): void
  /** Given the Dockerfile of the folder, where it has one. */
  read(dockerfile: string): void
}

function FolderField({ files, change, read }: FolderProps) {
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const chosen = Array.from(target.files ?? [], (content) => ({ path: belowFolder(content), content }))
    change(chosen)
    const found = chosen.find(({ path }) => path === 'Dockerfile')
    if (found !== undefined) read(await found.content.text())
  }
  const bytes = files.reduce((sum, { content }) => sum + content.size, 0)
  return (
    <label className="field">
      <span>Folder with files for COPY</span>
      <input type="file" multiple {...{ webkitdirectory: '' }} onChange={choose} />
      <small className="muted">
        {files.length === 0
          ? 'Without one, the Dockerfile alone is sent.'
          : `${files.length} files, ${sizeText(bytes)}`}
      </small>
    </label>
  )
}

const belowFolder = ({ webkitRelativePath, name }: File): string =>
  webkitRelativePath.split('/').slice(1).join('/') || name

function contextOf(files: Packed[], dockerfile: string): Blob {
  const others = files.filter(({ path }) => path !== 'Dockerfile')
  if (others.length > maxFiles)
    throw new Error(`At most ${maxFiles} files can be sent from here: docker build has no such limit.`)
  const context = packTar([{ path: 'Dockerfile', content: new Blob([dockerfile]) }, ...others])
  if (context.size > maxBytes)
    throw new Error(`At most ${sizeText(maxBytes)} can be sent from here: docker build has no such limit.`)
  return context
}

async function buildImage(context: Blob, tag: string, say: (text: string) => void): Promise<void> {
  const path = `/build?rm=1&t=${encodeURIComponent(tag.trim())}`
  const headers = { 'content-type': 'application/x-tar' }
  const { body } = await sendTo('engine', path, { method: 'POST', body: context, headers })
  if (body === null) return
  const kept = new LogBuffer()
  const show = () => say(kept.lines().join('\n'))
  let shownAt = 0
  for await (const { stream, status, error } of jsonLines<Told>(body)) {
    kept.push(stream ?? `${status ?? error ?? ''}\n`)
    if (error !== undefined) show()
    if (error !== undefined) throw new Error(error)
    if (performance.now() - shownAt < showEveryMs) continue
    show()
    shownAt = performance.now()
  }
  show()
}
