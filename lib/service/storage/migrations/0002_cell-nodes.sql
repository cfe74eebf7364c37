CREATE TABLE "cell_nodes" (
	"cell" integer PRIMARY KEY NOT NULL,
	"hosts" text NOT NULL,
	"other_hosts" text
);
