import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ask } from '../../api/client.ts'
import type { SearchResultsPage, VectorStoreObject } from '../../api/types.ts'
import { useProject } from '../../app/projects.tsx'
import { Failure } from '../../parts/failure.tsx'

/** Asks a store as a model would, and shows what it finds with the scores. */
export function SearchBox({ store, onClose }: { store: VectorStoreObject; onClose(): void }) {
  const { project } = useProject()
  const [query, setQuery] = useState('')
  const search = useMutation({
    mutationFn: () =>
      ask<SearchResultsPage>(`/v1/vector_stores/${store.id}/search`, {
        method: 'POST',
        body: { query },
        project: project.id,
      }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    search.mutate()
  }
  return (
    <section className="card search-box">
      <div className="dialog-head">
        <h2>Search {store.name === '' ? store.id : store.name}</h2>
        <button type="button" className="quiet small" onClick={onClose}>
          Close
        </button>
      </div>
      <form onSubmit={submit} className="composer">
        <input
          type="search"
          required
          maxLength={4096}
          aria-label="What to look for"
          placeholder="A question, or words"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <button type="submit" className="primary" disabled={search.isPending}>
          Search
        </button>
      </form>
      {search.error && <Failure error={search.error} />}
      {search.data && <Results results={search.data.data} />}
    </section>
  )
}

function Results({ results }: { results: SearchResultsPage['data'] }) {
  if (results.length === 0) return <p className="muted">Nothing fits.</p>
  return (
    <ol className="results">
      {results.map(({ file_id, filename, score, content }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: several passages may be of one file
        <li key={`${file_id}-${index}`}>
          <p className="result-head">
            <strong className="long">{filename}</strong>
            <span className="tag">score {score.toFixed(3)}</span>
          </p>
          <p className="as-typed">{content.map(({ text }) => text).join('\n')}</p>
        </li>
      ))}
    </ol>
  )
}
