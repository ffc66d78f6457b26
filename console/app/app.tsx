import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Route, Router, Switch } from 'wouter'
import { ApiError } from '../api/api-error.ts'
import { LoginPage } from '../pages/login-page.tsx'
import { NotFoundPage } from '../pages/not-found-page.tsx'
import { ConfirmProvider } from '../parts/confirm.tsx'
import { Failure } from '../parts/failure.tsx'
import { ToastProvider } from '../parts/toast.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { pagesFor } from './pages.ts'
import { ProjectProvider } from './projects.tsx'
import { forgetSession, useSession } from './session.ts'
import { Shell } from './shell.tsx'

const isOver = (error: unknown): boolean => error instanceof ApiError && error.code === 'no_session'
const mayHelp = (error: unknown): boolean => !(error instanceof ApiError) || error.status >= 500

const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => isOver(error) && forgetSession(queries) }),
  // Also of a machine without a network: the server may be this one.
  defaultOptions: {
    queries: { networkMode: 'always', retry: (times, error) => times < 2 && mayHelp(error) },
    mutations: { networkMode: 'always' },
  },
})

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <ToastProvider>
        <ConfirmProvider>
          <Router base="/console">
            <Door />
          </Router>
        </ConfirmProvider>
      </ToastProvider>
    </QueryClientProvider>
  )
}

/** Whoever is not logged in sees the log-in page, wherever they wanted to go; afterwards they are there. */
function Door() {
  const { data: session, error, isPending, refetch } = useSession()
  if (isPending) return <Waiting what="the console" />
  if (error instanceof ApiError && error.status < 500) return <LoginPage problem={error.message} />
  if (error) return <Failure error={error} again={refetch} />
  if (session === null) return <LoginPage />
  return (
    <ProjectProvider only={session.project}>
      <Shell session={session}>
        <ErrorBoundary>
          <Suspense fallback={<Waiting what="the page" />}>
            <Switch>
              {pagesFor(session).map(({ path, Page }) => (
                <Route key={path} path={path} component={Page} />
              ))}
              <Route component={NotFoundPage} />
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </Shell>
    </ProjectProvider>
  )
}
