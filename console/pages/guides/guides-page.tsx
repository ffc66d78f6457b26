import { useLocation, useSearch } from 'wouter'
import { Markdown } from '../../markdown/markdown.tsx'
import { Choice } from '../../parts/choice.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { guideHref, guides } from './guides.ts'

const titles = Object.fromEntries(guides.map(({ id, title }) => [id, title]))

export function GuidesPage() {
  const wanted = new URLSearchParams(useSearch()).get('guide')
  const [, go] = useLocation()
  const guide = guides.find(({ id }) => id === wanted) ?? guides[0]
  if (guide === undefined) return <PageHead title="Guides" about="None came with this build." />
  return (
    <>
      <PageHead title="Guides" about="How to do things with Atoll, as of this version." />
      <div className="filters">
        <Choice label="Guide" options={titles} value={guide.id} choose={(id) => go(guideHref(id))} />
      </div>
      <article className="card">
        <h2>{guide.title}</h2>
        <Markdown key={guide.id} text={guide.text} />
      </article>
    </>
  )
}
