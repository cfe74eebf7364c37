// Rendered for each request, like all of our pages.
export const dynamic = "force-dynamic";

export default function Page() {
  return <p>Nothing</p>;
}
