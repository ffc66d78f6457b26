import { Link } from 'wouter'
import { PageHead } from '../parts/page-head.tsx'

export const NotFoundPage = () => (
  <>
    <PageHead title="There is no such page" />
    <p>
      <Link href="/">Go to the first page</Link>
    </p>
  </>
)
