import { CardsSkeleton } from "#components/partner/connection/cards-skeleton.tsx";

export default function BusinessLoading() {
  return <CardsSkeleton label="Loading the business" />;
}
