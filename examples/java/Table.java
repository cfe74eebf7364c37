import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import com.google.gson.reflect.TypeToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Records by id, for one process, in a file written on each change. Encrypt the tokens outside a sandbox. */
class Table<T> {
    private static final Gson JSON = new GsonBuilder()
            .registerTypeAdapter(Instant.class, (JsonSerializer<Instant>) (time, type, gson) ->
                    new JsonPrimitive(time.toString()))
            .registerTypeAdapter(Instant.class, (JsonDeserializer<Instant>) (json, type, gson) ->
                    Instant.parse(json.getAsString()))
            .create();

    private final Path file;
    private final Map<String, T> records;

    Table(Path folder, Class<T> type) {
        file = folder.resolve(type.getSimpleName().toLowerCase() + ".json");
        try {
            Files.createDirectories(folder);
            var records = TypeToken.getParameterized(LinkedHashMap.class, String.class, type);
            this.records = JSON.fromJson(Files.exists(file) ? Files.readString(file) : "{}", records.getType());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    public synchronized Optional<T> find(String id) {
        return Optional.ofNullable(records.get(id));
    }

    public synchronized List<T> all() {
        return List.copyOf(records.values());
    }

    public synchronized void put(String id, T value) {
        records.put(id, value);
        write();
    }

    /** Adds a record if there is none, and returns whether it did. */
    synchronized boolean add(String id, T value) {
        if (records.putIfAbsent(id, value) != null) return false;
        write();
        return true;
    }

    /** Changes a record if it exists, and returns whether it does. */
    synchronized boolean change(String id, UnaryOperator<T> change) {
        if (records.computeIfPresent(id, (key, value) -> change.apply(value)) == null) return false;
        write();
        return true;
    }

    /** Deletes a record and returns it. Only one caller gets it. */
    synchronized Optional<T> take(String id) {
        Optional<T> taken = Optional.ofNullable(records.remove(id));
        write();
        return taken;
    }

    public void remove(String id) {
        take(id);
    }

    // A new file replaces the old one, so a crash corrupts neither.
    private void write() {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.writeString(draft, JSON.toJson(records));
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
