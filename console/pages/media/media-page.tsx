import { PageHead } from '../../parts/page-head.tsx'
import { Draw } from './draw.tsx'
import { Listen } from './listen.tsx'
import { Speak } from './speak.tsx'

export const MediaPage = () => (
  <>
    <PageHead title="Speech and pictures" about="Texts are spoken, speech is written down, words become pictures." />
    <div className="columns">
      <Speak />
      <Listen />
      <Draw />
    </div>
  </>
)
